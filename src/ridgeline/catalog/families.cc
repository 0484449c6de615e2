#include "ridgeline/catalog/families.h"

#include <array>

namespace ridgeline::catalog {
namespace {

constexpr Traits kLlama{};
constexpr Traits kMistral{.windows = Windows::every};
constexpr Traits kQwen2{.bias = Bias::qkv,
                        .bias_if_true = Bias::qkv,
                        .bias_key = "qkv_bias",
                        .windows = Windows::opt_in};
constexpr Traits kQwen2Moe{.bias = Bias::qkv,
                           .bias_if_true = Bias::qkv,
                           .bias_key = "qkv_bias",
                           .windows = Windows::opt_in,
                           .shared_gate = true};
constexpr Traits kQwen3{.qk_norm = QueryKeyNorm::per_head, .windows = Windows::opt_in};
constexpr Traits kQwen3Next{.qk_norm = QueryKeyNorm::per_head, .shared_gate = true};
constexpr Traits kGemma{.tied = true};
constexpr Traits kGemma2{.norms = 4,
                         .tied = true,
                         .windows = Windows::even,
                         .sizes = {.head_dim = 256, .window = 4096, .max_context = 8192}};
constexpr Traits kGemma3{.norms = 4,
                         .tied = true,
                         .qk_norm = QueryKeyNorm::per_head,
                         .windows = Windows::pattern,
                         .pattern = 6,
                         .sizes = {.hidden = 2304,
                                   .intermediate = 9216,
                                   .heads = 8,
                                   .kv_heads = 4,
                                   .head_dim = 256,
                                   .vocab = 262208,
                                   .window = 4096,
                                   .max_context = 131072}};
constexpr Traits kGemma4{.norms = 4,
                         .tied = true,
                         .qk_norm = QueryKeyNorm::per_head,
                         .windows = Windows::pattern,
                         .pattern = 6,
                         .sizes = {.hidden = 2304,
                                   .intermediate = 9216,
                                   .heads = 8,
                                   .kv_heads = 4,
                                   .head_dim = 256,
                                   .vocab = 262144,
                                   .window = 512,
                                   .max_context = 131072}};
constexpr Traits kCohere{
    .norms = 1, .tied = true, .qk_norm = QueryKeyNorm::per_layer, .qk_norm_key = "use_qk_norm"};
constexpr Traits kCohere2{.norms = 1, .tied = true, .windows = Windows::pattern, .pattern = 4};
constexpr Traits kDeepseekV2{};
constexpr Traits kDeepseekV3{.router_bias = true};
constexpr Traits kGlm{.bias = Bias::qkv, .bias_if_true = Bias::qkv};
constexpr Traits kGlm4{.norms = 4, .bias = Bias::qkv, .bias_if_true = Bias::qkv};
constexpr Traits kGlm4Moe{.bias_if_true = Bias::qkv,
                          .qk_norm = QueryKeyNorm::per_head,
                          .qk_norm_key = "use_qk_norm",
                          .router_bias = true};
constexpr Traits kChatGlm{.bias = Bias::qkv, .bias_if_true = Bias::qkv, .bias_key = "add_qkv_bias"};
constexpr Traits kGptOss{.bias = Bias::all,
                         .windows = Windows::even,
                         .sinks = true,
                         .router_bias = true,
                         .expert_bias = true,
                         .sizes = {.window = 128}};
constexpr Traits kMiniMaxM2{.qk_norm = QueryKeyNorm::per_layer,
                            .qk_norm_key = "use_qk_norm",
                            .windows = Windows::every,
                            .router_bias = true};
constexpr Traits kLlama4{.windows = Windows::chunks, .pattern = 4};
constexpr Traits kStarcoder2{.norm = Norm::scale_and_shift,
                             .final_norm = Norm::scale_and_shift,
                             .matrices = 2,
                             .tied = true,
                             .bias = Bias::all,
                             .bias_key = "use_bias",
                             .mlp_bias = true,
                             .mlp_bias_key = "use_bias",
                             .windows = Windows::every};
constexpr Traits kGptNeoX{.norm = Norm::scale_and_shift,
                          .final_norm = Norm::scale_and_shift,
                          .matrices = 2,
                          .bias = Bias::all,
                          .mlp_bias = true};
constexpr Traits kGpt2{.norm = Norm::scale_and_shift,
                       .final_norm = Norm::scale_and_shift,
                       .matrices = 2,
                       .tied = true,
                       .bias = Bias::all,
                       .mlp_bias = true};
constexpr Traits kGptJ{.norm = Norm::scale_and_shift,
                       .norms = 1,
                       .final_norm = Norm::scale_and_shift,
                       .matrices = 2,
                       .mlp_bias = true,
                       .head_bias = true};
constexpr Traits kGptNeo{
    .final_norm = Norm::scale_and_shift, .matrices = 2, .tied = true, .mlp_bias = true};
constexpr Traits kOpt{
    .final_norm = Norm::none, .matrices = 2, .tied = true, .bias = Bias::all, .mlp_bias = true};
constexpr Traits kFalcon{.final_norm = Norm::scale_and_shift,
                         .matrices = 2,
                         .tied = true,
                         .bias_key = "bias",
                         .mlp_bias_key = "bias"};
constexpr Traits kMpt{.matrices = 2, .tied = true};
constexpr Traits kPhi{.norm = Norm::scale_and_shift,
                      .norms = 1,
                      .final_norm = Norm::scale_and_shift,
                      .matrices = 2,
                      .bias = Bias::all,
                      .mlp_bias = true,
                      .qk_norm = QueryKeyNorm::per_head_shift,
                      .qk_norm_key = "qk_layernorm",
                      .head_bias = true};
constexpr Traits kPhiMoe{.norm = Norm::scale_and_shift,
                         .final_norm = Norm::scale_and_shift,
                         .windows = Windows::every,
                         .head_bias = true};
constexpr Traits kNemotron{
    .norm = Norm::scale_and_shift, .final_norm = Norm::scale_and_shift, .matrices = 2};
constexpr Traits kStableLm{.norm = Norm::scale_and_shift,
                           .final_norm = Norm::scale_and_shift,
                           .bias_if_true = Bias::qkv,
                           .bias_key = "use_qkv_bias"};
constexpr Traits kOlmo{.norm = Norm::none, .final_norm = Norm::none};
constexpr Traits kOlmo2{.qk_norm = QueryKeyNorm::per_layer, .windows = Windows::never};
constexpr Traits kInternLm{.bias = Bias::all, .bias_key = "bias"};
constexpr Traits kInternLm2{.bias_key = "bias"};
constexpr Traits kTiedLlama{.tied = true};
constexpr Traits kExaone4{
    .qk_norm = QueryKeyNorm::per_head, .windows = Windows::pattern, .pattern = 4};
constexpr Traits kSeedOss{.bias = Bias::qkv, .bias_if_true = Bias::qkv};
constexpr Traits kErnieMoe{
    .tied = true, .bias_key = "use_bias", .mlp_bias_key = "use_bias", .router_bias = true};
constexpr Traits kErnie{.tied = true, .bias_key = "use_bias", .mlp_bias_key = "use_bias"};
constexpr Traits kDots1{.qk_norm = QueryKeyNorm::per_head, .router_bias = true};
constexpr Traits kArcee{.matrices = 2};
constexpr Traits kNemotronH{.matrices = 2, .router_bias = true};
constexpr Traits kDbrx{};

constexpr std::array kFamilies = {
    Family{"llama", "LlamaForCausalLM", import_decoder, &kLlama},
    Family{"llama", "LLaMAForCausalLM", import_decoder, &kLlama},
    Family{"llama", "YiForCausalLM", import_decoder, &kLlama},
    Family{"baichuan", "BaichuanForCausalLM", import_decoder, &kLlama},
    Family{"mistral", "MistralForCausalLM", import_decoder, &kMistral},
    Family{"ministral", "MinistralForCausalLM", import_decoder, &kMistral},
    Family{"ministral3", "Ministral3ForCausalLM", import_decoder, &kMistral},
    Family{"mixtral", "MixtralForCausalLM", import_decoder, &kMistral},
    Family{"qwen2", "Qwen2ForCausalLM", import_decoder, &kQwen2},
    Family{"qwen2_vl", "Qwen2VLForConditionalGeneration", import_decoder, &kQwen2},
    Family{"qwen2_vl_text", "Qwen2VLForConditionalGeneration", import_decoder, &kQwen2},
    Family{"qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", import_decoder, &kQwen2},
    Family{"qwen2_5_vl_text", "Qwen2_5_VLForConditionalGeneration", import_decoder, &kQwen2},
    Family{"qwen2_moe", "Qwen2MoeForCausalLM", import_decoder, &kQwen2Moe},
    Family{"qwen3", "Qwen3ForCausalLM", import_decoder, &kQwen3},
    Family{"qwen3_moe", "Qwen3MoeForCausalLM", import_decoder, &kQwen3},
    Family{"qwen3_vl_text", "Qwen3VLForConditionalGeneration", import_decoder, &kQwen3},
    Family{"qwen3_vl_moe_text", "Qwen3VLMoeForConditionalGeneration", import_decoder, &kQwen3},
    Family{"qwen3_next", "Qwen3NextForCausalLM", import_qwen3_next, &kQwen3Next},
    Family{"qwen3_5", "Qwen3_5ForConditionalGeneration", import_qwen3_next, &kQwen3Next},
    Family{"qwen3_5_text", "Qwen3_5ForCausalLM", import_qwen3_next, &kQwen3Next},
    Family{"qwen3_5_moe", "Qwen3_5MoeForConditionalGeneration", import_qwen3_next, &kQwen3Next},
    Family{"qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", import_qwen3_next, &kQwen3Next},
    Family{"gemma", "GemmaForCausalLM", import_decoder, &kGemma},
    Family{"gemma2", "Gemma2ForCausalLM", import_decoder, &kGemma2},
    Family{"gemma3", "Gemma3ForConditionalGeneration", import_decoder, &kGemma3},
    Family{"gemma3_text", "Gemma3ForCausalLM", import_decoder, &kGemma3},
    Family{"gemma4", "Gemma4ForConditionalGeneration", import_gemma4, &kGemma4},
    Family{"gemma4_text", "Gemma4ForCausalLM", import_gemma4, &kGemma4},
    Family{"phi", "PhiForCausalLM", import_decoder, &kPhi},
    Family{"phi3", "Phi3ForCausalLM", import_decoder, &kMistral},
    Family{"phimoe", "PhiMoEForCausalLM", import_decoder, &kPhiMoe},
    Family{"phimoe", "PhimoeForCausalLM", import_decoder, &kPhiMoe},
    Family{"cohere", "CohereForCausalLM", import_decoder, &kCohere},
    Family{"cohere2", "Cohere2ForCausalLM", import_decoder, &kCohere2},
    Family{"deepseek_v2", "DeepseekV2ForCausalLM", import_decoder, &kDeepseekV2},
    Family{"deepseek_v3", "DeepseekV3ForCausalLM", import_decoder, &kDeepseekV3},
    Family{"kimi_k2", "DeepseekV3ForCausalLM", import_decoder, &kDeepseekV3},
    Family{"deepseek_v32", "DeepseekV32ForCausalLM", import_decoder, &kDeepseekV3},
    Family{"glm_moe_dsa", "GlmMoeDsaForCausalLM", import_decoder, &kDeepseekV3},
    Family{"deepseek_v4", "DeepseekV4ForCausalLM", import_deepseek_v4, &kDeepseekV3},
    Family{"glm", "GlmForCausalLM", import_decoder, &kGlm},
    Family{"glm4", "Glm4ForCausalLM", import_decoder, &kGlm4},
    Family{"glm4_moe", "Glm4MoeForCausalLM", import_decoder, &kGlm4Moe},
    Family{"glm4v_moe_text", "Glm4vMoeForConditionalGeneration", import_decoder, &kGlm4Moe},
    Family{"chatglm", "ChatGLMModel", import_chatglm, &kChatGlm},
    Family{"chatglm", "ChatGLMForConditionalGeneration", import_chatglm, &kChatGlm},
    Family{"gpt_oss", "GptOssForCausalLM", import_decoder, &kGptOss},
    Family{"minimax_m2", "MiniMaxM2ForCausalLM", import_decoder, &kMiniMaxM2},
    Family{"minimax_text_01", "MiniMaxText01ForCausalLM", import_minimax_text, &kLlama},
    Family{"minimax", "MiniMaxForCausalLM", import_minimax_text, &kLlama},
    Family{"minimax_m1", "MiniMaxM1ForCausalLM", import_minimax_text, &kLlama},
    Family{"llama4", "Llama4ForConditionalGeneration", import_llama4, &kLlama4},
    Family{"llama4_text", "Llama4ForCausalLM", import_llama4, &kLlama4},
    Family{"nemotron-nas", "DeciLMForCausalLM", import_deci, &kLlama},
    Family{"deci", "DeciLMForCausalLM", import_deci, &kLlama},
    Family{"nemotron", "NemotronForCausalLM", import_decoder, &kNemotron},
    Family{"nemotron_h", "NemotronHForCausalLM", import_nemotron_h, &kNemotronH},
    Family{"jamba", "JambaForCausalLM", import_jamba, &kLlama},
    Family{"mamba", "MambaForCausalLM", import_mamba, &kTiedLlama},
    Family{"falcon_mamba", "FalconMambaForCausalLM", import_mamba, &kTiedLlama},
    Family{"mamba2", "Mamba2ForCausalLM", import_mamba2, &kLlama},
    Family{"dbrx", "DbrxForCausalLM", import_dbrx, &kDbrx},
    Family{"starcoder2", "Starcoder2ForCausalLM", import_decoder, &kStarcoder2},
    Family{"gpt_neox", "GPTNeoXForCausalLM", import_decoder, &kGptNeoX},
    Family{"gpt2", "GPT2LMHeadModel", import_gpt2, &kGpt2},
    Family{"gpt_bigcode", "GPTBigCodeForCausalLM", import_gpt2, &kGpt2},
    Family{"gptj", "GPTJForCausalLM", import_gpt2, &kGptJ},
    Family{"gpt_neo", "GPTNeoForCausalLM", import_gpt_neo, &kGptNeo},
    Family{"bloom", "BloomForCausalLM", import_bloom, &kGpt2},
    Family{"falcon", "FalconForCausalLM", import_falcon, &kFalcon},
    Family{"RefinedWeb", "RWForCausalLM", import_falcon, &kFalcon},
    Family{"RefinedWebModel", "RWForCausalLM", import_falcon, &kFalcon},
    Family{"mpt", "MPTForCausalLM", import_mpt, &kMpt},
    Family{"mpt", "MptForCausalLM", import_mpt, &kMpt},
    Family{"opt", "OPTForCausalLM", import_opt, &kOpt},
    Family{"stablelm", "StableLmForCausalLM", import_decoder, &kStableLm},
    Family{"olmo", "OlmoForCausalLM", import_decoder, &kOlmo},
    Family{"olmo2", "Olmo2ForCausalLM", import_decoder, &kOlmo2},
    Family{"olmo3", "Olmo3ForCausalLM", import_decoder, &kOlmo2},
    Family{"olmoe", "OlmoeForCausalLM", import_decoder, &kOlmo2},
    Family{"granite", "GraniteForCausalLM", import_decoder, &kLlama},
    Family{"granitemoe", "GraniteMoeForCausalLM", import_decoder, &kLlama},
    Family{"internlm", "InternLMForCausalLM", import_decoder, &kInternLm},
    Family{"internlm2", "InternLM2ForCausalLM", import_decoder, &kInternLm2},
    Family{"internlm3", "InternLM3ForCausalLM", import_decoder, &kLlama},
    Family{"smollm3", "SmolLM3ForCausalLM", import_decoder, &kTiedLlama},
    Family{"minicpm", "MiniCPMForCausalLM", import_decoder, &kTiedLlama},
    Family{"exaone4", "Exaone4ForCausalLM", import_decoder, &kExaone4},
    Family{"seed_oss", "SeedOssForCausalLM", import_decoder, &kSeedOss},
    Family{"ernie4_5", "Ernie4_5ForCausalLM", import_decoder, &kErnie},
    Family{"ernie4_5_moe", "Ernie4_5_MoeForCausalLM", import_decoder, &kErnieMoe},
    Family{"dots1", "Dots1ForCausalLM", import_decoder, &kDots1},
    Family{"arcee", "ArceeForCausalLM", import_decoder, &kArcee},
};

}  // namespace

std::span<const Family> families() {
  return kFamilies;
}

}  // namespace ridgeline::catalog
