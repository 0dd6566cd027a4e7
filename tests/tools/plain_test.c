// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What of a text from elsewhere reaches a terminal. */
#include "../../tools/equant/plain.c"

#include "kselftest_harness.h"
#include "random.h"

FIXTURE(plain)
{
	char text[256];
};

FIXTURE_SETUP(plain)
{
}

FIXTURE_TEARDOWN(plain)
{
}

#define PLAIN(from) plain_text(self->text, sizeof(self->text), from)

TEST_F(plain, text_of_any_script_stays_as_it_is)
{
	static const char *const texts[] = {
		"",	"mm -n 512", "für \"$x\"\\",
		"网格", "🚀~",	     "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xf4\x8f\xbf\xbf"
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		EXPECT_STREQ(texts[i], PLAIN(texts[i]));
}

TEST_F(plain, what_a_terminal_obeys_is_written_out)
{
	EXPECT_STREQ("a\\x1b[31mb", PLAIN("a\033[31mb"));
	EXPECT_STREQ("\\x01\\x0a\\x0d\\x7f", PLAIN("\001\n\r\177"));
	/* C1, as characters and as bytes of 8-bit terminals. */
	EXPECT_STREQ("\\xc2\\x9b2J", PLAIN("\302\2332J"));
	EXPECT_STREQ("\\x9b2J", PLAIN("\2332J"));
	/* From here on from right to left. */
	EXPECT_STREQ("x\\xe2\\x80\\xaey", PLAIN("x\xe2\x80\xaey"));
}

TEST_F(plain, bytes_that_are_no_characters_are_written_out)
{
	EXPECT_STREQ("\\xc3", PLAIN("\xc3"));
	EXPECT_STREQ("\\xc3(", PLAIN("\xc3("));
	EXPECT_STREQ("\\xc0\\x80", PLAIN("\xc0\x80"));
	EXPECT_STREQ("\\xe0\\x80\\x9b", PLAIN("\xe0\x80\x9b"));
	EXPECT_STREQ("\\xed\\xa0\\x80", PLAIN("\xed\xa0\x80"));
	EXPECT_STREQ("\\xf4\\x90\\x80\\x80", PLAIN("\xf4\x90\x80\x80"));
	EXPECT_STREQ("\\xf0\\x80\\x80\\x9b", PLAIN("\xf0\x80\x80\x9b"));
	EXPECT_STREQ("\\xff\\xfe", PLAIN("\xff\xfe"));
}

TEST_F(plain, what_does_not_fit_ends_with_a_whole_character)
{
	char small[6];

	EXPECT_STREQ("abcä", plain_text(small, sizeof(small), "abcäd"));
	EXPECT_STREQ("abcd", plain_text(small, sizeof(small), "abcdäe"));
	EXPECT_STREQ("a\\x1b", plain_text(small, sizeof(small), "a\033\033"));
	EXPECT_STREQ("ab", plain_text(small, sizeof(small), "ab\033"));
	EXPECT_STREQ("", plain_text(small, 1, "a"));
}

TEST_F(plain, any_bytes_become_characters_that_are_shown)
{
	struct random random = random_seeded();
	char from[61], to[PLAIN_SIZE(60)];
	uint32_t code;

	for (int i = 0; i < 20000; i++) {
		size_t length = (size_t)random_below(&random, 60);

		for (size_t j = 0; j < length; j++)
			from[j] = (char)(1 + random_below(&random, 255));
		from[length] = '\0';
		plain_text(to, sizeof(to), from);
		for (const char *at = to; *at; at += plain_next(at, &code)) {
			plain_next(at, &code);
			ASSERT_TRUE(plain_is_shown(code));
		}
		/* Nothing was left out. */
		ASSERT_LE(length, strlen(to));
	}
}

TEST_HARNESS_MAIN
