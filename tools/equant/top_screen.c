// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A reading on a terminal: plain control sequences (ECMA-48), no terminal library.
 *
 * A screen is written in one go, over the last one, so that it does not flicker.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "top.h"

#define ENTER "\033[?1049h\033[?25l" /* the other screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define CLEAR_BELOW "\033[J"
#define DEFAULT_LINES 24
#define DEFAULT_COLUMNS 80

/* There is one terminal. */
static struct {
	struct termios saved; /* as it was at first: after a stop it may be as a shell has it */
	bool is_saved;
	bool has_keys;
	size_t first; /* row at the top */
	size_t room; /* rows there was room for */
	size_t rows;
} screen;

int top_screen_open(void)
{
	struct termios raw;

	screen.has_keys = isatty(STDIN_FILENO) &&
			  (screen.is_saved || !tcgetattr(STDIN_FILENO, &screen.saved));
	if (screen.has_keys) {
		screen.is_saved = true;
		raw = screen.saved;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 0;
		raw.c_cc[VTIME] = 0;
		if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw))
			return -errno;
	}
	fputs(ENTER, stdout);
	if (fflush(stdout)) {
		int error = errno;

		if (screen.has_keys)
			tcsetattr(STDIN_FILENO, TCSANOW, &screen.saved);
		return -error;
	}
	return 0;
}

void top_screen_close(bool stuck)
{
	if (!stuck) {
		fputs(LEAVE, stdout);
		fflush(stdout);
	}
	/* At least so, where it does not come to the end of what was written. */
	if (screen.has_keys && (stuck || tcsetattr(STDIN_FILENO, TCSAFLUSH, &screen.saved)))
		tcsetattr(STDIN_FILENO, TCSANOW, &screen.saved);
}

static void measure(struct winsize *size)
{
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, size) || !size->ws_row || !size->ws_col)
		*size = (struct winsize){ .ws_row = DEFAULT_LINES, .ws_col = DEFAULT_COLUMNS };
}

static size_t last_first(void)
{
	return screen.rows > screen.room ? screen.rows - screen.room : 0;
}

void top_screen_draw(const struct top_view *view)
{
	struct winsize size;
	char *text = NULL;
	size_t length;
	FILE *out;

	measure(&size);
	out = open_memstream(&text, &length);
	if (!out)
		return;
	screen.rows = view->nr;
	if (screen.first > last_first())
		screen.first = last_first();
	fputs(HOME, out);
	screen.room = top_table(out, view, screen.first, size.ws_row, size.ws_col, true);
	fputs(CLEAR_BELOW, out);
	fclose(out);
	fwrite(text, 1, length, stdout);
	fflush(stdout);
	free(text);
}

static void scroll(size_t by, bool down)
{
	if (down)
		screen.first = screen.first + by < last_first() ? screen.first + by : last_first();
	else
		screen.first -= by < screen.first ? by : screen.first;
}

/* The arrows and page keys are ESC [ and a letter, or a digit and ~.  -> how many characters it has. */
static ssize_t control_key(const char *keys, ssize_t length)
{
	size_t page = screen.room > 1 ? screen.room - 1 : 1;

	if (length < 3 || keys[1] != '[')
		return 1;
	if (keys[2] == 'A' || keys[2] == '5')
		scroll(keys[2] == '5' ? page : 1, false);
	else if (keys[2] == 'B' || keys[2] == '6')
		scroll(keys[2] == '6' ? page : 1, true);
	return keys[2] >= '0' && keys[2] <= '9' ? 4 : 3;
}

bool top_screen_key(void)
{
	char keys[64];
	ssize_t length = read(STDIN_FILENO, keys, sizeof(keys)), at = 0;

	/* A terminal that hung up is always readable. */
	if (length <= 0)
		return true;
	/* Who was kept waiting by a busy machine finds several. */
	while (at < length) {
		char key = keys[at];

		if (key == 'q' || key == 'Q')
			return true;
		if (key == ' ')
			scroll(screen.room > 1 ? screen.room - 1 : 1, true);
		at += key == '\033' ? control_key(keys + at, length - at) : 1;
	}
	return false;
}
