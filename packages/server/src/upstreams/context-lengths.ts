/**
 * The words by which upstreams say that a request is longer than its model can take. Few have a word for it; most say
 * so in a sentence under a status of a refused request. Agents shorten their history by the code that this becomes.
 * Data: one row for each vendor, with its public source.
 */
import { type VendorWords, WordTable } from './vendor-words.ts'

const contextLengths: readonly VendorWords[] = [
  {
    vendor: 'OpenAI, Azure, DeepSeek, and vLLM and others in their form',
    words: ['context_length_exceeded', 'token_limit_exceeded'],
    sentences: [
      "This model's maximum context length is {} Please reduce the length of the messages.",
      "This model's maximum context length is {} Please reduce the length of the messages or functions.",
      "This model's maximum context length is {} Please reduce the length of the messages or completion.",
      "This model's maximum context length is {} Please reduce your prompt; or completion length.",
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'Your input exceeds the context window of this model.',
    ],
    source: 'langchain-ai/langchain#24058; vllm-project/vllm#20409; OpenRouterTeam/openrouter-examples#10: status 400',
  },
  {
    vendor: 'vLLM',
    words: [],
    sentences: [
      "This model's maximum context length is {} Please reduce the length of the input messages.",
      "This model's maximum prompt length is {} Please reduce the length of the input messages.",
      "'max_tokens' or 'max_completion_tokens' is too large: {}. This model's maximum context length is {}",
      'The decoder prompt (length {}) is longer than the maximum model length of {}',
      "You passed {} input tokens and requested {} output tokens. However, the model's context length is only {} Please " +
        'reduce the length of the input prompt.',
    ],
    source: 'vllm-project/vllm, entrypoints/openai and renderers; vllm-project/vllm#33418: status 400',
  },
  {
    vendor: 'SGLang and Together',
    words: [],
    sentences: [
      "The input ({} tokens) is longer than the model's context length ({} tokens).",
      "Requested token count exceeds the model's maximum context length of {} Please reduce the number of tokens in the " +
        'input messages or the completion to fit within the limit.',
    ],
    source: 'sgl-project/sglang, managers/tokenizer_manager.py: status 400',
  },
  {
    vendor: 'llama.cpp and Ollama',
    words: ['exceed_context_size_error'],
    sentences: [
      'the request exceeds the available context size. try increasing the context size or enable context shift',
      'the request exceeds the available context size, try increasing it',
      'request ({} tokens) exceeds the available context size ({} tokens), try increasing it',
      'input length exceeds maximum context length',
      'the input length exceeds the context length',
      'prompt too long; exceeded max context length by {} tokens',
    ],
    source: 'ggml-org/llama.cpp, tools/server; ollama/ollama, server/routes.go: status 400 or 500',
  },
  {
    vendor: 'Text Generation Inference',
    words: [],
    sentences: [
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= {}. Given: {} `max_new_tokens`',
      'Input validation error: `inputs` must have less than {} tokens. Given: {}',
    ],
    source: 'huggingface/text-generation-inference, router/src/validation.rs: status 422',
  },
  {
    vendor: 'OpenRouter',
    words: [],
    sentences: [
      'This endpoint\'s maximum context length is {} Please reduce the length of either one, or use the "middle-out" ' +
        'transform to compress your prompt automatically.',
      "This endpoint's maximum context length is {} Please reduce the length of either one, or use the " +
        'context-compression plugin to compress your prompt automatically.',
      "This endpoint's maximum context length is {} Please reduce the length of either one.",
    ],
    source: 'OpenHands/OpenHands#9937; topoteretes/cognee#1061: status 400',
  },
  {
    vendor: 'Anthropic and Amazon Bedrock',
    words: [],
    sentences: [
      'prompt is too long',
      'prompt is too long: {} tokens > {} maximum',
      'input length and `max_tokens` exceed context limit: {}',
      'Input is too long for requested model.',
    ],
    source: 'https://platform.claude.com/docs/en/api/errors; anthropics/claude-code#6559: status 400',
  },
  {
    vendor: 'Google Gemini and Vertex AI',
    words: [],
    sentences: [
      'The input token count ({}) exceeds the maximum number of tokens allowed ({}).',
      'The input token count exceeds the maximum number of tokens allowed {}',
    ],
    source: 'https://ai.google.dev/gemini-api/docs/troubleshooting: status 400, INVALID_ARGUMENT',
  },
  {
    vendor: 'Mistral',
    words: ['3051'],
    sentences: ['Prompt contains {} too large for model with {} maximum context length'],
    source: 'https://docs.mistral.ai/api: status 400',
  },
  {
    vendor: 'xAI',
    words: [],
    sentences: ["This model's maximum prompt length is {} but the request contains {} tokens."],
    source: 'https://docs.x.ai/docs/key-information/debugging: status 400',
  },
  {
    vendor: 'Groq and Cerebras',
    words: [],
    sentences: [
      'Please reduce the length of the messages or completion.',
      'Please reduce the length of the messages or completion. Current length is {}',
    ],
    source: 'https://console.groq.com/docs/errors; https://inference-docs.cerebras.ai/support/error: status 400',
  },
  {
    vendor: 'Cohere',
    words: [],
    sentences: [
      'too many tokens: total number of tokens in the prompt cannot exceed {}',
      'too many tokens: size limit exceeded by {}',
    ],
    source: 'https://docs.cohere.com/reference/errors: status 400',
  },
  {
    vendor: 'Fireworks',
    words: [],
    sentences: ['The prompt is too long: {}, model maximum context length: {}'],
    source: 'https://docs.fireworks.ai/guides/inference-error-codes: status 400',
  },
  {
    vendor: 'Moonshot',
    words: [],
    sentences: [
      'Invalid request: Your request exceeded model token limit: {}',
      'Your request exceeded model token limit: {}',
    ],
    source: 'https://platform.kimi.com/docs/api/errors: status 400',
  },
  {
    vendor: 'Alibaba Model Studio',
    words: [],
    sentences: [
      'Range of input length should be [{}]',
      '<400> InternalError.Algo.InvalidParameter: Range of input length should be [{}]',
    ],
    source: 'https://www.alibabacloud.com/help/en/model-studio/error-code: status 400',
  },
  {
    vendor: 'Zhipu and MiniMax',
    words: ['1261'],
    sentences: ['invalid params, context window exceeds limit'],
    source: 'https://docs.bigmodel.cn/cn/api/api-code; https://platform.minimax.io/docs/api-reference/errorcode.md',
  },
  {
    vendor: 'LM Studio',
    words: [],
    sentences: [
      'Trying to keep the first {} tokens when context the overflows. However, the model is loaded with context length ' +
        'of only {} tokens, which is not enough. Try to load the model with a larger context length, or provide a ' +
        'shorter input',
      'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model ' +
        'with a larger context length, or provide a shorter input',
    ],
    source: 'lmstudio-ai/lmstudio-bug-tracker#237: status 400',
  },
  {
    vendor: 'GitHub Models',
    words: ['model_max_prompt_tokens_exceeded', 'tokens_limit_reached'],
    sentences: ['prompt token count of {} exceeds the limit of {}'],
    source: 'https://docs.github.com/en/github-models/use-github-models: status 400 or 413',
  },
]

const lengths = new WordTable(contextLengths, { readsQuoted: false })

/** Whether the body of a failure says that the request is longer than the model can take. */
export function isContextLength(value: unknown): boolean {
  return lengths.isSaidIn(value)
}
