// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file's table of records: pages that come when records need them, stay until
 * the file is closed, and are mapped read-only.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "equant.h"

/* The page of element @index, NULL = none yet.  Pages do not go away. */
static struct page *page_of(struct equant_file *file, u32 index)
{
	/* Pairs with add_page(). */
	return smp_load_acquire(&file->pages[index / RECORDS_PER_PAGE]);
}

static void *element(struct equant_file *file, u32 index)
{
	struct page *page = page_of(file, index);

	if (!page)
		return NULL;
	return page_address(page) + index % RECORDS_PER_PAGE * EQUANT_RECORD_SIZE;
}

struct equant_table *equant_table_header(struct equant_file *file)
{
	return element(file, 0);
}

/* Called with file->lock held, or by the only one who knows the file. */
static int add_page(struct equant_file *file)
{
	struct page *page;
	int ret;

	ret = equant_take_page(file->user);
	if (ret)
		return ret;
	page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!page) {
		equant_return_pages(file->user, 1);
		return -ENOMEM;
	}
	/* Pairs with page_of(): who sees the page sees it empty. */
	smp_store_release(&file->pages[file->nr_pages], page);
	file->nr_pages++;
	return 0;
}

/**
 * equant_table_record() - the record of that index, with a page to be in
 * @file: the file
 * @index: taken from the lowest free one on
 *
 * Context: file->lock is held.
 * Return: the record, or ERR_PTR(-EDQUOT or -ENOMEM).
 */
struct equant_record *equant_table_record(struct equant_file *file, u32 index)
{
	struct equant_table *header = equant_table_header(file);
	int ret;

	while (index / RECORDS_PER_PAGE >= file->nr_pages) {
		ret = add_page(file);
		if (ret)
			return ERR_PTR(ret);
		WRITE_ONCE(header->nr_records, file->nr_pages * RECORDS_PER_PAGE - 1);
	}
	return element(file, index);
}

/** equant_table_features() - EQUANT_TABLE_* of this kernel */
u32 equant_table_features(void)
{
	return EQUANT_TABLE_PREDICTS | CONFIGURED_SLICE_FEATURE;
}

/** equant_default_quantum() - the caller's configured slice, rounded up to the tick; 0 = none */
u32 equant_default_quantum(void)
{
	return roundup(configured_slice(current), TICK_NSEC);
}

/** equant_table_init() - the header, in the first page */
int equant_table_init(struct equant_file *file)
{
	struct equant_table *header;
	int ret;

	ret = add_page(file);
	if (ret)
		return ret;
	header = equant_table_header(file);
	header->magic = EQUANT_TABLE_MAGIC;
	header->version = EQUANT_ABI_VERSION;
	header->record_size = EQUANT_RECORD_SIZE;
	header->nr_records = RECORDS_PER_PAGE - 1;
	header->state = EQUANT_TABLE_LIVE;
	header->features = equant_table_features();
	header->per_user = equant_limits.per_user;
	header->reserve = equant_limits.reserve;
	header->t_load = equant_now();
	header->default_quantum_ns = equant_default_quantum();
	header->tick_ns = TICK_NSEC;
	return 0;
}

/** equant_table_free() - nobody maps it any more */
void equant_table_free(struct equant_file *file)
{
	unsigned int i;

	for (i = 0; i < file->nr_pages; i++)
		put_page(file->pages[i]);
	equant_return_pages(file->user, file->nr_pages);
}

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct equant_file *file = vmf->vma->vm_private_data;
	struct page *page = NULL;

	if (vmf->pgoff < FILE_PAGES)
		page = page_of(file, vmf->pgoff * RECORDS_PER_PAGE);
	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct table_vm_ops = {
	.fault = fault,
};

/**
 * equant_table_mmap() - map the table, or its first pages
 * @file: the file
 * @vma: what the caller wants
 *
 * A child does not inherit the mapping: it would keep its parent's file open.
 * Return: 0, -EPERM (it is read-only), -EINVAL (there is no more).
 */
int equant_table_mmap(struct equant_file *file, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	if (vma->vm_pgoff >= FILE_PAGES || vma_pages(vma) > FILE_PAGES - vma->vm_pgoff)
		return -EINVAL;
	change_vma_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_ops = &table_vm_ops;
	vma->vm_private_data = file;
	return 0;
}
