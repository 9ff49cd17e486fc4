#pragma once
// The shortest job file that says all it must.

#include <string_view>

inline constexpr std::string_view kSmallJob = R"(name = "kjv"
[model]
preset = "gpt2-tiny"
[data]
path = "bible.txt"
[train]
steps = 120
global_batch = 24
seq_len = 64
lr = 1e-3
)";
