// The networks of the workloads that stand in the list of workload.cc. Inside the module only.
#pragma once

#include <memory>
#include <string>

#include "workload/network.h"
#include "workload/workload.h"

namespace flyball {

/// The network of a workload of the list. Error: it has none.
Result<std::shared_ptr<Network>> make_network(const std::string& workload,
                                              const NetworkShape& shape);

/// 61,706 parameters at 1×28×28 and 10 classes. Inputs up to 28 wide are padded by 2, as LeCun's
/// were; at least 12×12. Throws c10::Error for smaller ones.
std::shared_ptr<Network> make_lenet5(const NetworkShape& shape);

/// 11,689,512 parameters at 1000 classes; any input from 32×32.
std::shared_ptr<Network> make_resnet18(const NetworkShape& shape);
/// 25,557,032 parameters at 1000 classes.
std::shared_ptr<Network> make_resnet50(const NetworkShape& shape);
/// MobileNetV3-Large: 5,483,032 parameters at 1000 classes.
std::shared_ptr<Network> make_mobilenet_v3(const NetworkShape& shape);
/// 132,863,336 parameters at 1000 classes; any input from 32×32.
std::shared_ptr<Network> make_vgg11(const NetworkShape& shape);
/// Two layers of 256 over `classes` words: 8,614,383 parameters at 29,423 words. Parameters carry
/// the names of PyTorch's example word_language_model.
std::shared_ptr<Network> make_lstm(const NetworkShape& shape);

/// With the question answering head: 108,893,186 parameters at a vocabulary (classes) of 30,522.
std::shared_ptr<Network> make_bert_base(const NetworkShape& shape);
/// 334,094,338 parameters.
std::shared_ptr<Network> make_bert_large(const NetworkShape& shape);
/// YOLOv8n: 3,157,184 parameters at 80 classes, and 16 fixed numbers; any input whose sides are
/// multiples of 32. Throws c10::Error for others.
std::shared_ptr<Network> make_yolo_v8n(const NetworkShape& shape);

}  // namespace flyball
