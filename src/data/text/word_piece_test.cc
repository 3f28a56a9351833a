// The tokens that the published algorithm gives: worked out by hand from the description of BERT's
// tokenizer (clean, part Chinese characters, small letters, NFD without non-spacing marks, part
// punctuation, longest piece first), the first ones from the tests that were published with it.
#include "data/text/word_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string utf8(char32_t c) {
  std::string text;
  if (c < 0x80) return {static_cast<char>(c)};
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>((0xFF00 >> (more + 1) & 0xFF) | c >> 6 * more);
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (c >> 6 * i & 0x3F));
  return text;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  WordSplitter splitter;
  splitter.split(text, [&](std::span<const NormalChar> word) {
    all.emplace_back();
    for (const NormalChar& c : word) all.back() += utf8(c.value);
  });
  return all;
}

WordPiece pieces(const std::vector<std::string>& more) {
  std::vector<std::string> lines = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
  lines.insert(lines.end(), more.begin(), more.end());
  auto vocabulary = Vocabulary::parse(join(lines, "\n") + "\n", "vocab.txt");
  EXPECT_TRUE(vocabulary.ok()) << vocabulary.error().message;
  return WordPiece(*std::move(vocabulary));
}

std::vector<Token> cut(const WordPiece& pieces, std::string_view text) {
  WordPieceScratch scratch;
  std::vector<Token> tokens = {{9, 9, 9}};  // what was there is replaced
  pieces.cut(text, scratch, tokens);
  return tokens;
}

std::vector<int64_t> ids(const WordPiece& pieces, std::string_view text) {
  std::vector<int64_t> all;
  for (const Token& token : cut(pieces, text)) all.push_back(token.id);
  return all;
}

// What each token covers in the original.
std::vector<std::string> covered(const WordPiece& pieces, std::string_view text) {
  std::vector<std::string> all;
  for (const Token& token : cut(pieces, text))
    all.emplace_back(text.substr(token.begin, token.end - token.begin));
  return all;
}

TEST(WordPiece, GivesThePublishedExample) {
  const WordPiece known =
      pieces({"want", "##want", "##ed", "wa", "un", "runn", "##ing", ","});  // from 4 on
  EXPECT_THAT(ids(known, "UNwant\u00E9d,running"), ElementsAre(8, 5, 6, 11, 9, 10));
  EXPECT_THAT(ids(known, ""), IsEmpty());
  EXPECT_THAT(ids(known, "unwanted running"), ElementsAre(8, 5, 6, 9, 10));
  EXPECT_THAT(ids(known, "unwantedX running"), ElementsAre(1, 9, 10));
}

TEST(WordPiece, TakesTheLongestPieceAndNeverLooksBack) {
  const WordPiece known = pieces({"a", "ab", "##c", "##bc", "##cd", "abc"});
  EXPECT_THAT(ids(known, "abc"), ElementsAre(9));
  // "abc" is taken first; "##d" is not there, and "ab" "##cd" would have been right.
  EXPECT_THAT(ids(known, "abcd"), ElementsAre(1));
  EXPECT_THAT(ids(known, "abbc"), ElementsAre(5, 7));
  EXPECT_THAT(ids(known, "c"), ElementsAre(1));            // "##c" begins no word
  EXPECT_THAT(ids(known, "[CLS]"), ElementsAre(1, 1, 1));  // brackets are punctuation
}

TEST(WordPiece, AWordOfMoreThanAHundredCharactersIsUnknown) {
  const WordPiece known = pieces({"a", "##a", "\u4E00", "e"});
  EXPECT_EQ(ids(known, std::string(100, 'a')).size(), 100u);
  EXPECT_THAT(ids(known, std::string(101, 'a')), ElementsAre(1));
  EXPECT_THAT(ids(known, std::string(4000, 'a') + " a"), ElementsAre(1, 4));
  // Characters, not bytes, and without the accents; Chinese ones are words of their own.
  std::string accents, chinese;
  for (int i = 0; i < 100; ++i) accents += "\u00E1", chinese += "\u4E00\u4E00";
  EXPECT_EQ(ids(known, accents).size(), 100u);
  EXPECT_EQ(ids(known, chinese).size(), 200u);
}

TEST(WordPiece, KeepsWhereTokensComeFrom) {
  const WordPiece known = pieces({"zur", "##ich", "cafe", ",", "\u4E2D", "is"});
  EXPECT_THAT(covered(known, "Z\u00FCrich, Cafe\u0301 \u4E2D\u6587 i\u00ADs"),
              ElementsAre("Z\u00FCr", "ich", ",", "Cafe", "\u4E2D", "\u6587", "i\u00ADs"));
  EXPECT_THAT(covered(known, "  \u00C7a\u0327 "),
              ElementsAre("\u00C7a"));  // unknown, accent left off
}

TEST(WordSplitter, GivesThePublishedExamples) {
  EXPECT_THAT(words("ah\u535A\u63A8zz"), ElementsAre("ah", "\u535A", "\u63A8", "zz"));
  EXPECT_THAT(words(" \tHeLLo!how  \n Are yoU?  "),
              ElementsAre("hello", "!", "how", "are", "you", "?"));
  EXPECT_THAT(words("H\u00E9llo"), ElementsAre("hello"));
}

TEST(WordSplitter, DropsControlCharactersAndWhatIsNotUtf8) {
  EXPECT_THAT(words(std::string_view("a\0b", 3)), ElementsAre("ab"));
  EXPECT_THAT(words("a\x05\x7F\u0085"
                    "b"),
              ElementsAre("ab"));
  EXPECT_THAT(words("a\uFFFDb"), ElementsAre("ab"));
  EXPECT_THAT(words("\uFEFFsoft\u00ADhyphen zero\u200Bwidth \u202Eright"),
              ElementsAre("softhyphen", "zerowidth", "right"));
  EXPECT_THAT(words("a\xFF"
                    "b\xC3"),
              ElementsAre("ab"));  // a lone byte, a sequence cut off
  EXPECT_THAT(words("\x01 \x02"), IsEmpty());
}

TEST(WordSplitter, PartsAtEveryBlank) {
  EXPECT_THAT(words("a\u00A0b\u3000c\u2003d\re"), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(words("line\u2028paragraph\u2029end"), ElementsAre("line", "paragraph", "end"));
}

TEST(WordSplitter, PartsPunctuationOfEveryScript) {
  EXPECT_THAT(words("don't-stop_it"), ElementsAre("don", "'", "t", "-", "stop", "_", "it"));
  EXPECT_THAT(words("$5=^5`"), ElementsAre("$", "5", "=", "^", "5", "`"));
  // Symbols beyond ASCII are no punctuation; dashes, quotes, full stops of other scripts are.
  EXPECT_THAT(words("5\u20AC \u00ABoui\u00BB\u2014\u00BFqu\u00E9?"),
              ElementsAre("5\u20AC", "\u00AB", "oui", "\u00BB", "\u2014", "\u00BF", "que", "?"));
  EXPECT_THAT(words("\u4F60\u597D\u3002\u0930\u093E\u092E\u0964"),
              ElementsAre("\u4F60", "\u597D", "\u3002", "\u0930\u093E\u092E", "\u0964"));
  EXPECT_THAT(words("a\u037Eb"), ElementsAre("a", ";", "b"));  // its decomposition is a semicolon
}

TEST(WordSplitter, PutsWordsIntoSmallLetters) {
  EXPECT_THAT(words("\u0130STANBUL"), ElementsAre("istanbul"));
  EXPECT_THAT(words("\u1E9E \u00DF"), ElementsAre("\u00DF", "\u00DF"));
  EXPECT_THAT(words("\uFF21"), ElementsAre("\uFF41"));
  // A capital sigma is another letter at the end of a word.
  EXPECT_THAT(words("\u03A3\u038A\u03A3\u03A5\u03A6\u039F\u03A3"),
              ElementsAre("\u03C3\u03B9\u03C3\u03C5\u03C6\u03BF\u03C2"));
  EXPECT_THAT(words("\u03A3 \u0391\u03A3. \u0391\u03A3'\u0391"),
              ElementsAre("\u03C3", "\u03B1\u03C2", ".", "\u03B1\u03C3", "'", "\u03B1"));
}

TEST(WordSplitter, StripsAccentsComposedOrNot) {
  EXPECT_THAT(words("\u00C5ngstr\u00F6m A\u030Angstro\u0308m \u212B"),
              ElementsAre("angstrom", "angstrom", "a"));
  EXPECT_THAT(words("\u1EC7 e\u0323\u0302 e\u0302\u0323"), ElementsAre("e", "e", "e"));
  EXPECT_THAT(words("\u0301"), IsEmpty());  // nothing but an accent
  EXPECT_THAT(words("\uFB01n \u00F8 \u0142"), ElementsAre("\uFB01n", "\u00F8", "\u0142"));
  EXPECT_THAT(words("\u304C"), ElementsAre("\u304B"));        // ga without its mark
  EXPECT_THAT(words("\u0939\u093F\u0928\u094D\u0926\u0940"),  // the virama is non-spacing
              ElementsAre("\u0939\u093F\u0928\u0926\u0940"));
}

TEST(WordSplitter, DecomposesFully) {
  EXPECT_THAT(words("\uD55C\uAD6D"),  // hangul into its letters
              ElementsAre("\u1112\u1161\u11AB\u1100\u116E\u11A8"));
  EXPECT_THAT(words("x\uF900y"), ElementsAre("x", "\u8C48", "y"));  // another code for a character
  // Marks that stay are put in the order of their classes: U+16FF0 (6) before U+302E (224).
  EXPECT_THAT(words("a\u302E\U00016FF0"), ElementsAre("a\U00016FF0\u302E"));
}

TEST(WordSplitter, PartsChineseCharactersOfEveryPlaneAlone) {
  EXPECT_THAT(words("\U00020000\u3400\U0002F800"), ElementsAre("\U00020000", "\u3400", "\u4E3D"));
  EXPECT_THAT(words("\u30C6\u30B9\u30C8"), ElementsAre("\u30C6\u30B9\u30C8"));  // kana are a word
}

TEST(WordSplitter, LeavesEmojiWhole) {
  EXPECT_THAT(words("ok\U0001F44D\U0001F3FD!"), ElementsAre("ok\U0001F44D\U0001F3FD", "!"));
  // The joiner is a format character, the variation selector a non-spacing mark.
  EXPECT_THAT(words("\U0001F469\u200D\U0001F680 \u2764\uFE0F"),
              ElementsAre("\U0001F469\U0001F680", "\u2764"));
}

TEST(Vocabulary, NumbersLinesAndNamesBadOnes) {
  const auto fault = [](const std::string& text) {
    const auto vocabulary = Vocabulary::parse(text, "vocab.txt");
    return vocabulary.ok() ? "" : vocabulary.error().message;
  };
  const std::string marks = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";
  const auto good = Vocabulary::parse(marks + "the\r\n##s\n#\n##\nthe", "vocab.txt");
  ASSERT_TRUE(good.ok()) << good.error().message;
  EXPECT_EQ(good->size(), 9);
  EXPECT_EQ(good->begins("the"), 8);  // the last one counts
  EXPECT_EQ(good->goes_on("s"), 5);
  EXPECT_EQ(good->begins("s"), -1);
  EXPECT_EQ(good->begins("##"), 7);
  EXPECT_THAT(fault(marks + "the\n\nof"), HasSubstr("vocab.txt line 6: it is empty"));
  EXPECT_THAT(fault(marks + "t\xFF\n"), HasSubstr("vocab.txt line 5: it is not UTF-8"));
  EXPECT_THAT(fault(marks + "The\n"), HasSubstr("line 5: 'The' has capitals"));
  EXPECT_THAT(fault("[PAD]\n[UNK]\n[SEP]\n"), HasSubstr("has no line '[CLS]'"));
  EXPECT_THAT(fault(""), HasSubstr("has no line '[PAD]'"));
}

}  // namespace
}  // namespace flyball
