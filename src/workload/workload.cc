#include "workload/workload.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "data/pictures/detection_collate.h"
#include "data/pictures/picture_collate.h"
#include "data/text/question_collate.h"
#include "data/text/text_dataset.h"
#include "space/named_source.h"

namespace flyball {

const std::vector<Workload>& workloads() {
  const std::vector<Phase> both = {Phase::train, Phase::infer};
  static const std::vector<Workload> list = {
      {"lenet5",
       "LeNet-5 on 28×28 digits (LeCun 1998, with ReLU and max pooling)",
       "mnist",
       {{1, 28, 28}, 10},
       60000,
       61706,
       246824,
       1845544,
       both,
       open_picture_collate},
      {"resnet18",
       "ResNet-18 on 224×224 images (He 2016)",
       "images",
       {{3, 224, 224}, 1000},
       50000,
       11689512,
       46796608,
       400453000,
       both,
       open_picture_collate},
      {"resnet50",
       "ResNet-50 on 224×224 images (He 2016, version 1.5)",
       "images",
       {{3, 224, 224}, 1000},
       50000,
       25557032,
       102441032,
       1541648656,
       both,
       open_picture_collate},
      {"mobilenet_v3",
       "MobileNetV3-Large on 224×224 images (Howard 2019)",
       "gld23k",
       {{3, 224, 224}, 1000},
       23080,
       5483032,
       22030096,
       756068964,
       both,
       open_picture_collate},
      {"vgg11",
       "VGG-11 on CIFAR-10's 32×32 or on 224×224 images (Simonyan 2015)",
       "cifar10",
       {{3, 224, 224}, 1000},
       50000,
       132863336,
       531453344,
       2005401832,
       both,
       open_picture_collate},
      {"lstm",
       "LSTM of 2 × 256 on words, truncated backpropagation (Zaremba 2014; tied: Press, Wolf 2017)",
       "wikitext",
       {{35}, 29423},
       59675,
       8614383,
       34457532,
       173233148,
       both,
       open_text_collate},
      {"bert_base",
       "BERT-base with question answering head on rows of 128 tokens (Devlin 2018)",
       "squad",
       {{default_row_tokens}, 30522},
       130319,
       108893186,
       435572744,
       2428690472,
       both,
       open_question_collate},
      {"bert_large",
       "BERT-large with question answering head on rows of 128 tokens (Devlin 2018)",
       "squad",
       {{default_row_tokens}, 30522},
       130319,
       334094338,
       1336377352,
       6767203368,
       both,
       open_question_collate},
      {"yolo_v8n",
       "YOLOv8n, boxes and classes of objects on 640×640 images (Ultralytics 2023)",
       "coco",
       {{3, 640, 640}, 80},
       25000,
       3157184,
       12671624,
       2220389132,
       both,
       open_detection_collate},
  };
  return list;
}

std::string script_file(const std::string& workload) {
  const NamedSource source = read_source(workload);
  return source.kind == NamedSource::Kind::script ? source.name : "";
}

namespace {

// How a name that is one of a program would be typed behind `--`; "" of another.
std::string own_command(const std::string& name) {
  if (name.find(' ') != std::string::npos) return name;  // no network's has one
  std::error_code ignored;
  const std::filesystem::path file = name;
  if (std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0)
    return shell_word((file.has_parent_path() ? file : "." / file).string());
  return name.ends_with(".py") ? "python3 " + shell_word(name) : "";
}

}  // namespace

Result<const Workload*> find_workload(const std::string& name) {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) {
    if (workload.name == name) return &workload;
    names.push_back(workload.name);
  }
  // A file by its name alone.
  for (const auto& [ending, kind] :
       {std::pair{".onnx", "onnx:"}, {".pt", "script:"}, {".pth", "script:"}})
    if (name.ends_with(ending))
      return Error{Code::not_found, fmt::format("there is no workload '{}'", name),
                   fmt::format("a file is told by its kind: {}{}", kind, name)};
  if (name.ends_with(".csv"))
    return Error{Code::not_found, fmt::format("there is no workload '{}'", name),
                 "a table is told as the board that was measured: --device table:" + name};
  if (const std::string command = own_command(name); !command.empty())
    return Error{Code::not_found, fmt::format("there is no workload '{}'", name),
                 "a program of your own goes behind `--`, as in: -- " + command};
  return Error{Code::not_found, fmt::format("there is no workload '{}'", name),
               name_hint(name, names)};
}

Result<CollatePtr> make_collate(const std::string& workload, const Dataset& dataset,
                                const CollateOptions& options) {
  if (!script_file(workload).empty()) {
    for (const Workload& known : workloads())
      if (known.dataset == dataset.kind()) return known.collate(dataset, options);
    return open_picture_collate(dataset, options);
  }
  FLYBALL_ASSIGN(const Workload* found, find_workload(workload));
  if (options.image_size != 0 && found->shape.input.rank() != 3)
    return Error{Code::invalid_argument,
                 fmt::format("an image size says nothing to {}, which takes no pictures", workload),
                 "leave --image-size out"};
  return found->collate(dataset, options);
}

}  // namespace flyball
