#include "data/makers/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/random.h"
#include "base/text.h"
#include "data/formats/squad.h"

namespace flyball {
namespace {

constexpr size_t kPerParagraph = 5, kPerArticle = 20;
constexpr uint64_t kDevStream = uint64_t{1} << 40;  // so that no dev paragraph is a training one

struct Property {
  std::string_view name;
  std::array<std::string_view, 12> values;
};

constexpr std::array<Property, 8> kProperties = {{
    {"colour",
     {"red", "blue", "green", "amber", "violet", "white", "black", "silver", "golden", "brown",
      "orange", "crimson"}},
    {"harvest",
     {"barley", "wheat", "rice", "maize", "oats", "rye", "millet", "cotton", "flax", "hops",
      "grapes", "olives"}},
    {"metal",
     {"iron", "copper", "tin", "zinc", "lead", "nickel", "cobalt", "bronze", "brass", "steel",
      "titanium", "chrome"}},
    {"river",
     {"danube", "rhine", "loire", "tagus", "ebro", "elbe", "vistula", "dnieper", "volga", "thames",
      "tiber", "rhône"}},
    {"season",
     {"spring", "summer", "autumn", "winter", "monsoon", "drought", "frost", "thaw", "rains",
      "snow", "fog", "heat"}},
    {"animal",
     {"horse", "falcon", "otter", "wolf", "bear", "eagle", "salmon", "deer", "fox", "heron",
      "badger", "lynx"}},
    {"trade",
     {"weaving", "fishing", "mining", "pottery", "printing", "brewing", "carving", "tanning",
      "baking", "sailing", "forging", "spinning"}},
    {"feast",
     {"carnival", "easter", "harvestide", "midsummer", "yule", "lantern", "michaelmas", "candlemas",
      "regatta", "jubilee", "fête", "parade"}},
}};

constexpr std::array<std::string_view, 8> kModifiers = {"old",  "dark", "pale", "great",
                                                        "wild", "late", "fine", "rough"};
constexpr std::array<std::string_view, 24> kSyllables = {
    "vel", "to",  "ra", "mi", "kor", "an", "dis", "pel", "su", "ga", "ri", "non",
    "tha", "lem", "vo", "is", "bar", "ed", "qui", "za",  "or", "fe", "lu", "hem"};
constexpr std::array<std::string_view, 16> kSmallWords = {"the", "of",   "and", "in",   "a",  "to",
                                                          "was", "by",   "for", "with", "on", "as",
                                                          "at",  "from", "its", "is"};
constexpr std::array<std::string_view, 9> kAskingWords = {
    "what", "which", "does", "have", "known", "people", "say", "name", "belongs"};

template <class List>
std::string_view one_of(const List& list, Random& random) {
  return list[random.below(list.size())];
}

// A word of 2 to 4 syllables.
std::string draw_word(Random& random) {
  std::string word;
  for (size_t i = 2 + random.below(3); i > 0; --i) word += one_of(kSyllables, random);
  return word;
}

// Words of sentences that tell nothing, in the vocabulary.
std::vector<std::string> filler_words() {
  Random random(77);
  std::set<std::string> words;
  while (words.size() < 2000) words.insert(draw_word(random));
  return {words.begin(), words.end()};
}

std::vector<std::string> vocabulary_lines(size_t count) {
  std::vector<std::string> lines = {"[PAD]"};
  std::set<std::string> known;
  const auto put = [&](std::string line) {
    if (lines.size() < count && known.insert(line).second) lines.push_back(std::move(line));
  };
  for (int i = 0; i < 99; ++i) put(fmt::format("[unused{}]", i));
  for (const char* mark : {"[UNK]", "[CLS]", "[SEP]", "[MASK]"}) put(mark);
  for (int i = 99; i < 994; ++i) put(fmt::format("[unused{}]", i));
  for (char c = '!'; c <= '~'; ++c)
    if (c < 'A' || c > 'Z') put(std::string(1, c));
  for (const auto word : kSmallWords) put(std::string(word));
  for (const auto word : kAskingWords) put(std::string(word));
  for (const auto word : kModifiers) put(std::string(word));
  for (const Property& property : kProperties) {
    put(std::string(property.name));
    // As the tokenizer leaves them, without accents.
    for (const auto value : property.values)
      put(value == "rhône" ? "rhone" : value == "fête" ? "fete" : std::string(value));
  }
  for (const auto syllable : kSyllables) put(std::string(syllable));
  for (const auto syllable : kSyllables) put("##" + std::string(syllable));
  for (char c = 'a'; c <= 'z'; ++c) put(std::string("##") + c);
  for (char c = '0'; c <= '9'; ++c) put(std::string("##") + c);
  for (std::string& word : filler_words()) put(std::move(word));
  Random random(78);
  while (lines.size() < count) put(draw_word(random));
  return lines;
}

int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

struct Told {
  size_t property;
  std::string value;
  int64_t start;  ///< in characters
};

struct Paragraph {
  std::string name, text;
  std::vector<Told> told;
  std::vector<size_t> untold;  ///< properties
};

std::string draw_value(const Property& property, Random& random) {
  std::string value;
  if (random.below(2) == 0) value = std::string(one_of(kModifiers, random)) + " ";
  return value + std::string(one_of(property.values, random));
}

std::string draw_name(Random& random) {
  std::string name = draw_word(random);
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  if (random.below(4) == 0) name += "é";
  return name;
}

std::string filler_sentence(const std::vector<std::string>& words, Random& random) {
  std::string sentence;
  for (size_t i = 6 + random.below(9); i > 0; --i) {
    if (!sentence.empty()) sentence += random.below(10) == 0 ? ", " : " ";
    // Small numbers are drawn more often than great ones, as words are in a language.
    const double rank = random.uniform() * random.uniform();
    sentence += random.below(2) == 0
                    ? std::string(one_of(kSmallWords, random))
                    : words[static_cast<size_t>(rank * static_cast<double>(words.size()))];
  }
  return sentence + ". ";
}

void tell(Paragraph& paragraph, size_t index, Random& random) {
  const Property& property = kProperties[index];
  const std::string value = draw_value(property, random);
  const bool forward = random.below(2) == 0;
  std::string& text = paragraph.text;
  text += forward ? fmt::format("The {} of {} is ", property.name, paragraph.name)
                  : fmt::format("{} has ", paragraph.name);
  paragraph.told.push_back({index, value, characters(text)});
  text += value;
  text += forward ? ". " : fmt::format(" as its {}. ", property.name);
}

Paragraph draw_paragraph(const std::vector<std::string>& words, double mean_words, Random& random) {
  Paragraph paragraph;
  paragraph.name = draw_name(random);
  const std::vector<size_t> order = random.sample(kProperties.size(), kProperties.size());
  const size_t told = 3 + random.below(3);
  // Lengths of Wikipedia's paragraphs are skewed: few are three times as long as most.
  const double wanted = mean_words * (0.35 + 0.65 * random.exponential());
  double filler = std::max(0.0, wanted - 8.0 * static_cast<double>(told));
  for (size_t i = 0; i < order.size(); ++i) {
    if (i >= told) {
      paragraph.untold.push_back(order[i]);
      continue;
    }
    double share = filler / static_cast<double>(told);
    while (share > 0) {
      if (random.uniform() * 10 < share) paragraph.text += filler_sentence(words, random);
      share -= 10;
    }
    tell(paragraph, order[i], random);
  }
  paragraph.text.pop_back();  // the blank behind the last sentence
  return paragraph;
}

std::string question_text(const Paragraph& paragraph, size_t property, Random& random) {
  const std::string_view name = kProperties[property].name;
  switch (random.below(3)) {
    case 0:
      return fmt::format("What is the {} of {}?", name, paragraph.name);
    case 1:
      return fmt::format("Which {} does {} have?", name, paragraph.name);
    default:
      return fmt::format("What do people say is the {} of {}?", name, paragraph.name);
  }
}

Json answers_json(const Told& told, size_t times) {
  Json answers = Json::array();
  for (size_t i = 0; i < times; ++i)
    answers.push_back({{"text", told.value}, {"answer_start", told.start}});
  return answers;
}

// Dev answers are those of three people.
Json question_json(const Paragraph& paragraph, bool train, Random& random) {
  const bool impossible = random.below(3) == 0;
  const size_t property = impossible ? paragraph.untold[random.below(paragraph.untold.size())] : 0;
  const Told& told = paragraph.told[random.below(paragraph.told.size())];
  Json question{
      {"question", question_text(paragraph, impossible ? property : told.property, random)},
      {"id", fmt::format("{:016x}{:08x}", random(), static_cast<uint32_t>(random()))},
      {"answers", impossible ? Json::array() : answers_json(told, train ? 1 : 3)},
      {"is_impossible", impossible}};
  if (impossible) question["plausible_answers"] = answers_json(told, 1);
  return question;
}

std::string file_content(int64_t questions, bool train, const QuestionOptions& options) {
  const std::vector<std::string> words = filler_words();
  // One article at a time becomes text: a large set is never there as a tree as well.
  std::string content = R"({"version":"v2.0","data":[)";
  uint64_t number = train ? 0 : kDevStream;
  for (int64_t left = questions; left > 0;) {
    Json paragraphs = Json::array();
    std::string title;
    for (size_t p = 0; p < kPerArticle && left > 0; ++p) {
      Random random(mix_seed(mix_seed(options.seed, 5), number++));
      const Paragraph paragraph = draw_paragraph(words, options.words, random);
      if (title.empty()) title = paragraph.name;
      Json asked = Json::array();
      for (size_t q = 0; q < kPerParagraph && left > 0; ++q, --left)
        asked.push_back(question_json(paragraph, train, random));
      paragraphs.push_back({{"qas", asked}, {"context", paragraph.text}});
    }
    // As Python writes it: all of it ASCII.
    content += Json{{"title", title}, {"paragraphs", std::move(paragraphs)}}.dump(-1, ' ', true);
    content += left > 0 ? "," : "]}";
  }
  return content;
}

}  // namespace

Status make_questions(const std::filesystem::path& folder, const QuestionOptions& options) {
  FLYBALL_CHECK(write_file(folder / vocabulary_file,
                           join(vocabulary_lines(options.vocabulary), "\n") + "\n"));
  FLYBALL_CHECK(write_file(folder / squad_train_file, file_content(options.train, true, options)));
  return write_file(folder / squad_dev_file, file_content(options.dev, false, options));
}

}  // namespace flyball
