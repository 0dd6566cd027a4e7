/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The calls of MPI in which a rank may wait for others, or move data:
 * MPI_CALL(Name, name in Fortran, its arguments there, parameters in C, arguments in C).
 * In Fortran there is one more, and lengths of strings behind all.
 *
 * Included more than once, with MPI_CALL() defined by whoever includes it.
 */

MPI_CALL(Send, send, 7,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),
	 (buf, count, type, dest, tag, comm))
MPI_CALL(Bsend, bsend, 7,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),
	 (buf, count, type, dest, tag, comm))
MPI_CALL(Ssend, ssend, 7,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),
	 (buf, count, type, dest, tag, comm))
MPI_CALL(Rsend, rsend, 7,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),
	 (buf, count, type, dest, tag, comm))
MPI_CALL(Recv, recv, 8,
	 (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	  MPI_Status *status),
	 (buf, count, type, source, tag, comm, status))
MPI_CALL(Sendrecv, sendrecv, 13,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
	  MPI_Comm comm, MPI_Status *status),
	 (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
	  recvtag, comm, status))
MPI_CALL(Sendrecv_replace, sendrecv_replace, 10,
	 (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
	  MPI_Comm comm, MPI_Status *status),
	 (buf, count, type, dest, sendtag, source, recvtag, comm, status))
MPI_CALL(Mrecv, mrecv, 6,
	 (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
	 (buf, count, type, message, status))
MPI_CALL(Isend, isend, 8,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
	  MPI_Request *request),
	 (buf, count, type, dest, tag, comm, request))
MPI_CALL(Ibsend, ibsend, 8,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
	  MPI_Request *request),
	 (buf, count, type, dest, tag, comm, request))
MPI_CALL(Issend, issend, 8,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
	  MPI_Request *request),
	 (buf, count, type, dest, tag, comm, request))
MPI_CALL(Irsend, irsend, 8,
	 (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
	  MPI_Request *request),
	 (buf, count, type, dest, tag, comm, request))
MPI_CALL(Irecv, irecv, 8,
	 (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	  MPI_Request *request),
	 (buf, count, type, source, tag, comm, request))
MPI_CALL(Imrecv, imrecv, 6,
	 (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
	 (buf, count, type, message, request))
MPI_CALL(Probe, probe, 5, (int source, int tag, MPI_Comm comm, MPI_Status *status),
	 (source, tag, comm, status))
MPI_CALL(Mprobe, mprobe, 6,
	 (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
	 (source, tag, comm, message, status))
MPI_CALL(Iprobe, iprobe, 6, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
	 (source, tag, comm, flag, status))
MPI_CALL(Improbe, improbe, 7,
	 (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
	 (source, tag, comm, flag, message, status))
MPI_CALL(Start, start, 2, (MPI_Request *const request), (request))
MPI_CALL(Startall, startall, 3, (int count, MPI_Request requests[]), (count, requests))
MPI_CALL(Wait, wait, 3, (MPI_Request *const request, MPI_Status *status), (request, status))
MPI_CALL(Waitall, waitall, 4, (int count, MPI_Request requests[], MPI_Status *statuses),
	 (count, requests, statuses))
MPI_CALL(Waitany, waitany, 5, (int count, MPI_Request requests[], int *index, MPI_Status *status),
	 (count, requests, index, status))
MPI_CALL(Waitsome, waitsome, 6,
	 (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]),
	 (incount, requests, outcount, indices, statuses))
MPI_CALL(Test, test, 4, (MPI_Request *const request, int *flag, MPI_Status *status),
	 (request, flag, status))
MPI_CALL(Testall, testall, 5, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
	 (count, requests, flag, statuses))
MPI_CALL(Testany, testany, 6,
	 (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
	 (count, requests, index, flag, status))
MPI_CALL(Testsome, testsome, 6,
	 (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]),
	 (incount, requests, outcount, indices, statuses))
MPI_CALL(Cancel, cancel, 2, (MPI_Request *const request), (request))
MPI_CALL(Request_free, request_free, 2, (MPI_Request *const request), (request))
MPI_CALL(Barrier, barrier, 2, (MPI_Comm comm), (comm))
MPI_CALL(Bcast, bcast, 6, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
	 (buffer, count, type, root, comm))
MPI_CALL(Gather, gather, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, int root, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
MPI_CALL(Gatherv, gatherv, 10,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
	  MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
MPI_CALL(Scatter, scatter, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, int root, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
MPI_CALL(Scatterv, scatterv, 10,
	 (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
	  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
	 (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
MPI_CALL(Allgather, allgather, 8,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
MPI_CALL(Allgatherv, allgatherv, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
MPI_CALL(Alltoall, alltoall, 8,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
MPI_CALL(Alltoallv, alltoallv, 10,
	 (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
	  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
	  MPI_Comm comm),
	 (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
MPI_CALL(Alltoallw, alltoallw, 10,
	 (const void *sendbuf, const int sendcounts[], const int sdispls[],
	  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
	 (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
MPI_CALL(Reduce, reduce, 8,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
	  MPI_Comm comm),
	 (sendbuf, recvbuf, count, type, op, root, comm))
MPI_CALL(Allreduce, allreduce, 7,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm),
	 (sendbuf, recvbuf, count, type, op, comm))
MPI_CALL(Reduce_scatter, reduce_scatter, 7,
	 (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm),
	 (sendbuf, recvbuf, recvcounts, type, op, comm))
MPI_CALL(Reduce_scatter_block, reduce_scatter_block, 7,
	 (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm),
	 (sendbuf, recvbuf, recvcount, type, op, comm))
MPI_CALL(Scan, scan, 7,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm),
	 (sendbuf, recvbuf, count, type, op, comm))
MPI_CALL(Exscan, exscan, 7,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm),
	 (sendbuf, recvbuf, count, type, op, comm))
MPI_CALL(Ibarrier, ibarrier, 3, (MPI_Comm comm, MPI_Request *request), (comm, request))
MPI_CALL(Ibcast, ibcast, 7,
	 (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
	  MPI_Request *request),
	 (buffer, count, type, root, comm, request))
MPI_CALL(Igather, igather, 10,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
MPI_CALL(Igatherv, igatherv, 11,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request))
MPI_CALL(Iscatter, iscatter, 10,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
MPI_CALL(Iscatterv, iscatterv, 11,
	 (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
	  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
	  MPI_Request *request),
	 (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
MPI_CALL(Iallgather, iallgather, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
MPI_CALL(Iallgatherv, iallgatherv, 10,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
	  MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
MPI_CALL(Ialltoall, ialltoall, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
MPI_CALL(Ialltoallv, ialltoallv, 11,
	 (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
	  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
	  request))
MPI_CALL(Ialltoallw, ialltoallw, 11,
	 (const void *sendbuf, const int sendcounts[], const int sdispls[],
	  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
	  request))
MPI_CALL(Ireduce, ireduce, 9,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, recvbuf, count, type, op, root, comm, request))
MPI_CALL(Iallreduce, iallreduce, 8,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, recvbuf, count, type, op, comm, request))
MPI_CALL(Ireduce_scatter, ireduce_scatter, 8,
	 (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, recvbuf, recvcounts, type, op, comm, request))
MPI_CALL(Ireduce_scatter_block, ireduce_scatter_block, 8,
	 (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, recvbuf, recvcount, type, op, comm, request))
MPI_CALL(Iscan, iscan, 8,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, recvbuf, count, type, op, comm, request))
MPI_CALL(Iexscan, iexscan, 8,
	 (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, recvbuf, count, type, op, comm, request))
MPI_CALL(Neighbor_allgather, neighbor_allgather, 8,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
MPI_CALL(Neighbor_allgatherv, neighbor_allgatherv, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
MPI_CALL(Neighbor_alltoall, neighbor_alltoall, 8,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
MPI_CALL(Neighbor_alltoallv, neighbor_alltoallv, 10,
	 (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
	  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
	  MPI_Comm comm),
	 (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
MPI_CALL(Neighbor_alltoallw, neighbor_alltoallw, 10,
	 (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
	  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
	 (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
MPI_CALL(Ineighbor_allgather, ineighbor_allgather, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
MPI_CALL(Ineighbor_allgatherv, ineighbor_allgatherv, 10,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	  const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
	  MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
MPI_CALL(Ineighbor_alltoall, ineighbor_alltoall, 9,
	 (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
MPI_CALL(Ineighbor_alltoallv, ineighbor_alltoallv, 11,
	 (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
	  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
	  MPI_Comm comm, MPI_Request *request),
	 (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
	  request))
MPI_CALL(Ineighbor_alltoallw, ineighbor_alltoallw, 11,
	 (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
	  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
	  MPI_Request *request),
	 (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
	  request))
MPI_CALL(Comm_dup, comm_dup, 3, (MPI_Comm comm, MPI_Comm *newcomm), (comm, newcomm))
MPI_CALL(Comm_split, comm_split, 5, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm),
	 (comm, color, key, newcomm))
MPI_CALL(Comm_split_type, comm_split_type, 6,
	 (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm),
	 (comm, split_type, key, info, newcomm))
MPI_CALL(Comm_create, comm_create, 4, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm),
	 (comm, group, newcomm))
MPI_CALL(Comm_create_group, comm_create_group, 5,
	 (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm), (comm, group, tag, newcomm))
MPI_CALL(Comm_free, comm_free, 2, (MPI_Comm *const comm), (comm))
MPI_CALL(Comm_disconnect, comm_disconnect, 2, (MPI_Comm *const comm), (comm))
MPI_CALL(Intercomm_create, intercomm_create, 7,
	 (MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm, int remote_leader, int tag,
	  MPI_Comm *newintercomm),
	 (local_comm, local_leader, bridge_comm, remote_leader, tag, newintercomm))
MPI_CALL(Intercomm_merge, intercomm_merge, 4,
	 (MPI_Comm intercomm, int high, MPI_Comm *newintercomm), (intercomm, high, newintercomm))
MPI_CALL(Cart_create, cart_create, 7,
	 (MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
	  MPI_Comm *comm_cart),
	 (old_comm, ndims, dims, periods, reorder, comm_cart))
MPI_CALL(Graph_create, graph_create, 7,
	 (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
	  MPI_Comm *comm_graph),
	 (comm, nnodes, index, edges, reorder, comm_graph))
MPI_CALL(Dist_graph_create, dist_graph_create, 10,
	 (MPI_Comm comm, int n, const int nodes[], const int degrees[], const int targets[],
	  const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm),
	 (comm, n, nodes, degrees, targets, weights, info, reorder, newcomm))
MPI_CALL(Dist_graph_create_adjacent, dist_graph_create_adjacent, 11,
	 (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[],
	  int outdegree, const int destinations[], const int destweights[], MPI_Info info,
	  int reorder, MPI_Comm *comm_dist_graph),
	 (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
	  reorder, comm_dist_graph))
MPI_CALL(Win_create, win_create, 7,
	 (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
	 (base, size, disp_unit, info, comm, win))
MPI_CALL(Win_allocate, win_allocate, 7,
	 (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
	 (size, disp_unit, info, comm, baseptr, win))
MPI_CALL(Win_allocate_shared, win_allocate_shared, 7,
	 (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
	 (size, disp_unit, info, comm, baseptr, win))
MPI_CALL(Win_free, win_free, 2, (MPI_Win *const win), (win))
MPI_CALL(Win_fence, win_fence, 3, (int assert, MPI_Win win), (assert, win))
MPI_CALL(Win_lock, win_lock, 5, (int lock_type, int rank, int assert, MPI_Win win),
	 (lock_type, rank, assert, win))
MPI_CALL(Win_lock_all, win_lock_all, 3, (int assert, MPI_Win win), (assert, win))
MPI_CALL(Win_unlock, win_unlock, 3, (int rank, MPI_Win win), (rank, win))
MPI_CALL(Win_unlock_all, win_unlock_all, 2, (MPI_Win win), (win))
MPI_CALL(Win_flush, win_flush, 3, (int rank, MPI_Win win), (rank, win))
MPI_CALL(Win_flush_all, win_flush_all, 2, (MPI_Win win), (win))
MPI_CALL(Win_flush_local, win_flush_local, 3, (int rank, MPI_Win win), (rank, win))
MPI_CALL(Win_flush_local_all, win_flush_local_all, 2, (MPI_Win win), (win))
MPI_CALL(Win_start, win_start, 4, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
MPI_CALL(Win_complete, win_complete, 2, (MPI_Win win), (win))
MPI_CALL(Win_post, win_post, 4, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
MPI_CALL(Win_wait, win_wait, 2, (MPI_Win win), (win))
MPI_CALL(Win_test, win_test, 3, (MPI_Win win, int *flag), (win, flag))
MPI_CALL(Win_sync, win_sync, 2, (MPI_Win win), (win))
MPI_CALL(Put, put, 9,
	 (const void *o_addr, int o_count, MPI_Datatype o_type, int t_rank, MPI_Aint t_disp,
	  int t_count, MPI_Datatype t_type, MPI_Win win),
	 (o_addr, o_count, o_type, t_rank, t_disp, t_count, t_type, win))
MPI_CALL(Get, get, 9,
	 (void *o_addr, int o_count, MPI_Datatype o_type, int t_rank, MPI_Aint t_disp, int t_count,
	  MPI_Datatype t_type, MPI_Win win),
	 (o_addr, o_count, o_type, t_rank, t_disp, t_count, t_type, win))
MPI_CALL(Accumulate, accumulate, 10,
	 (const void *o_addr, int o_count, MPI_Datatype o_type, int t_rank, MPI_Aint t_disp,
	  int t_count, MPI_Datatype t_type, MPI_Op op, MPI_Win win),
	 (o_addr, o_count, o_type, t_rank, t_disp, t_count, t_type, op, win))
MPI_CALL(Get_accumulate, get_accumulate, 13,
	 (const void *o_addr, int o_count, MPI_Datatype o_type, void *r_addr, int r_count,
	  MPI_Datatype r_type, int t_rank, MPI_Aint t_disp, int t_count, MPI_Datatype t_type,
	  MPI_Op op, MPI_Win win),
	 (o_addr, o_count, o_type, r_addr, r_count, r_type, t_rank, t_disp, t_count, t_type, op,
	  win))
MPI_CALL(Fetch_and_op, fetch_and_op, 8,
	 (const void *o_addr, void *r_addr, MPI_Datatype type, int t_rank, MPI_Aint t_disp,
	  MPI_Op op, MPI_Win win),
	 (o_addr, r_addr, type, t_rank, t_disp, op, win))
MPI_CALL(Compare_and_swap, compare_and_swap, 8,
	 (const void *o_addr, const void *compare_addr, void *r_addr, MPI_Datatype type, int t_rank,
	  MPI_Aint t_disp, MPI_Win win),
	 (o_addr, compare_addr, r_addr, type, t_rank, t_disp, win))
MPI_CALL(Rput, rput, 10,
	 (const void *o_addr, int o_count, MPI_Datatype o_type, int t_rank, MPI_Aint t_disp,
	  int t_cout, MPI_Datatype t_type, MPI_Win win, MPI_Request *request),
	 (o_addr, o_count, o_type, t_rank, t_disp, t_cout, t_type, win, request))
MPI_CALL(Rget, rget, 10,
	 (void *o_addr, int o_count, MPI_Datatype o_type, int t_rank, MPI_Aint t_disp, int t_count,
	  MPI_Datatype t_type, MPI_Win win, MPI_Request *request),
	 (o_addr, o_count, o_type, t_rank, t_disp, t_count, t_type, win, request))
MPI_CALL(Raccumulate, raccumulate, 11,
	 (const void *o_addr, int o_count, MPI_Datatype o_type, int t_rank, MPI_Aint t_disp,
	  int t_count, MPI_Datatype t_type, MPI_Op op, MPI_Win win, MPI_Request *request),
	 (o_addr, o_count, o_type, t_rank, t_disp, t_count, t_type, op, win, request))
MPI_CALL(Rget_accumulate, rget_accumulate, 14,
	 (const void *o_addr, int o_count, MPI_Datatype o_type, void *r_addr, int r_count,
	  MPI_Datatype r_type, int t_rank, MPI_Aint t_disp, int t_count, MPI_Datatype t_type,
	  MPI_Op op, MPI_Win win, MPI_Request *request),
	 (o_addr, o_count, o_type, r_addr, r_count, r_type, t_rank, t_disp, t_count, t_type, op,
	  win, request))
MPI_CALL(File_close, file_close, 2, (MPI_File *const fh), (fh))
MPI_CALL(File_sync, file_sync, 2, (MPI_File fh), (fh))
MPI_CALL(File_set_size, file_set_size, 3, (MPI_File fh, MPI_Offset size), (fh, size))
MPI_CALL(File_preallocate, file_preallocate, 3, (MPI_File fh, MPI_Offset size), (fh, size))
MPI_CALL(File_read, file_read, 6,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_read_all, file_read_all, 6,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_read_at, file_read_at, 7,
	 (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
	  MPI_Status *status),
	 (fh, offset, buf, count, type, status))
MPI_CALL(File_read_at_all, file_read_at_all, 7,
	 (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
	  MPI_Status *status),
	 (fh, offset, buf, count, type, status))
MPI_CALL(File_read_shared, file_read_shared, 6,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_read_ordered, file_read_ordered, 6,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_write, file_write, 6,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_write_all, file_write_all, 6,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_write_at, file_write_at, 7,
	 (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
	  MPI_Status *status),
	 (fh, offset, buf, count, type, status))
MPI_CALL(File_write_at_all, file_write_at_all, 7,
	 (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
	  MPI_Status *status),
	 (fh, offset, buf, count, type, status))
MPI_CALL(File_write_shared, file_write_shared, 6,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_write_ordered, file_write_ordered, 6,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status),
	 (fh, buf, count, type, status))
MPI_CALL(File_iread, file_iread, 6,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Request *request),
	 (fh, buf, count, type, request))
MPI_CALL(File_iread_at, file_iread_at, 7,
	 (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
	  MPI_Request *request),
	 (fh, offset, buf, count, type, request))
MPI_CALL(File_iwrite, file_iwrite, 6,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Request *request),
	 (fh, buf, count, type, request))
MPI_CALL(File_iwrite_at, file_iwrite_at, 7,
	 (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
	  MPI_Request *request),
	 (fh, offset, buf, count, type, request))
MPI_CALL(Comm_dup_with_info, comm_dup_with_info, 4,
	 (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), (comm, info, newcomm))
MPI_CALL(Comm_idup, comm_idup, 4, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request),
	 (comm, newcomm, request))
MPI_CALL(Cart_sub, cart_sub, 4, (MPI_Comm comm, const int remain_dims[], MPI_Comm *new_comm),
	 (comm, remain_dims, new_comm))
MPI_CALL(Win_create_dynamic, win_create_dynamic, 4, (MPI_Info info, MPI_Comm comm, MPI_Win *win),
	 (info, comm, win))
MPI_CALL(Win_set_info, win_set_info, 3, (MPI_Win win, MPI_Info info), (win, info))
MPI_CALL(Buffer_detach, buffer_detach, 3, (void *buffer, int *size), (buffer, size))
MPI_CALL(Request_get_status, request_get_status, 4,
	 (MPI_Request request, int *flag, MPI_Status *status), (request, flag, status))
MPI_CALL(Pack, pack, 8,
	 (const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize,
	  int *position, MPI_Comm comm),
	 (inbuf, incount, type, outbuf, outsize, position, comm))
MPI_CALL(Unpack, unpack, 8,
	 (const void *inbuf, int insize, int *position, void *outbuf, int outcount,
	  MPI_Datatype type, MPI_Comm comm),
	 (inbuf, insize, position, outbuf, outcount, type, comm))
MPI_CALL(Reduce_local, reduce_local, 6,
	 (const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op),
	 (inbuf, inoutbuf, count, type, op))
MPI_CALL(File_set_info, file_set_info, 3, (MPI_File fh, MPI_Info info), (fh, info))
MPI_CALL(File_set_atomicity, file_set_atomicity, 3, (MPI_File fh, int flag), (fh, flag))
MPI_CALL(File_seek_shared, file_seek_shared, 4, (MPI_File fh, MPI_Offset offset, int whence),
	 (fh, offset, whence))
MPI_CALL(File_read_all_begin, file_read_all_begin, 5,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type), (fh, buf, count, type))
MPI_CALL(File_read_all_end, file_read_all_end, 4, (MPI_File fh, void *buf, MPI_Status *status),
	 (fh, buf, status))
MPI_CALL(File_read_at_all_begin, file_read_at_all_begin, 6,
	 (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type),
	 (fh, offset, buf, count, type))
MPI_CALL(File_read_at_all_end, file_read_at_all_end, 4,
	 (MPI_File fh, void *buf, MPI_Status *status), (fh, buf, status))
MPI_CALL(File_read_ordered_begin, file_read_ordered_begin, 5,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type), (fh, buf, count, type))
MPI_CALL(File_read_ordered_end, file_read_ordered_end, 4,
	 (MPI_File fh, void *buf, MPI_Status *status), (fh, buf, status))
MPI_CALL(File_write_all_begin, file_write_all_begin, 5,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type), (fh, buf, count, type))
MPI_CALL(File_write_all_end, file_write_all_end, 4,
	 (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
MPI_CALL(File_write_at_all_begin, file_write_at_all_begin, 6,
	 (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type),
	 (fh, offset, buf, count, type))
MPI_CALL(File_write_at_all_end, file_write_at_all_end, 4,
	 (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
MPI_CALL(File_write_ordered_begin, file_write_ordered_begin, 5,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type), (fh, buf, count, type))
MPI_CALL(File_write_ordered_end, file_write_ordered_end, 4,
	 (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
MPI_CALL(File_iread_all, file_iread_all, 6,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Request *request),
	 (fh, buf, count, type, request))
MPI_CALL(File_iread_at_all, file_iread_at_all, 7,
	 (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
	  MPI_Request *request),
	 (fh, offset, buf, count, type, request))
MPI_CALL(File_iread_shared, file_iread_shared, 6,
	 (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Request *request),
	 (fh, buf, count, type, request))
MPI_CALL(File_iwrite_all, file_iwrite_all, 6,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Request *request),
	 (fh, buf, count, type, request))
MPI_CALL(File_iwrite_at_all, file_iwrite_at_all, 7,
	 (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
	  MPI_Request *request),
	 (fh, offset, buf, count, type, request))
MPI_CALL(File_iwrite_shared, file_iwrite_shared, 6,
	 (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Request *request),
	 (fh, buf, count, type, request))
MPI_CALL(Comm_join, comm_join, 3, (int fd, MPI_Comm *intercomm), (fd, intercomm))
MPI_CALL(File_open, file_open, 7,
	 (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh),
	 (comm, filename, amode, info, fh))
MPI_CALL(File_set_view, file_set_view, 8,
	 (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
	  const char *datarep, MPI_Info info),
	 (fh, disp, etype, filetype, datarep, info))
MPI_CALL(Comm_accept, comm_accept, 7,
	 (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
	 (port_name, info, root, comm, newcomm))
MPI_CALL(Comm_connect, comm_connect, 7,
	 (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
	 (port_name, info, root, comm, newcomm))
MPI_CALL(Comm_spawn, comm_spawn, 11,
	 (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
	  MPI_Comm *intercomm, int errcodes[]),
	 (command, argv, maxprocs, info, root, comm, intercomm, errcodes))
MPI_CALL(Comm_spawn_multiple, comm_spawn_multiple, 12,
	 (int count, char *commands[], char **argv[], const int maxprocs[], const MPI_Info info[],
	  int root, MPI_Comm comm, MPI_Comm *intercomm, int errcodes[]),
	 (count, commands, argv, maxprocs, info, root, comm, intercomm, errcodes))
