// Stored documents are read by answers/stored_json.h.
#pragma once

#include "answers/stored_json.h"
