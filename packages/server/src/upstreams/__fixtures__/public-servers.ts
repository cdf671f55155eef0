import { anthropic } from '../anthropic/__fixtures__/anthropic.ts'
import { gemini } from '../gemini/__fixtures__/gemini.ts'
import { azureOpenAi } from '../openai-compatible/__fixtures__/azure-openai.ts'
import { cerebras } from '../openai-compatible/__fixtures__/cerebras.ts'
import { dashscope } from '../openai-compatible/__fixtures__/dashscope.ts'
import { deepseek } from '../openai-compatible/__fixtures__/deepseek.ts'
import { fireworks } from '../openai-compatible/__fixtures__/fireworks.ts'
import { geminiCompatible } from '../openai-compatible/__fixtures__/gemini-compatible.ts'
import { groq } from '../openai-compatible/__fixtures__/groq.ts'
import { llamaCpp } from '../openai-compatible/__fixtures__/llama-cpp.ts'
import { lmStudio } from '../openai-compatible/__fixtures__/lm-studio.ts'
import { lmdeploy } from '../openai-compatible/__fixtures__/lmdeploy.ts'
import { mistral } from '../openai-compatible/__fixtures__/mistral.ts'
import { moonshot } from '../openai-compatible/__fixtures__/moonshot.ts'
import { ollama } from '../openai-compatible/__fixtures__/ollama.ts'
import { openRouter } from '../openai-compatible/__fixtures__/openrouter.ts'
import { perplexity } from '../openai-compatible/__fixtures__/perplexity.ts'
import type { PublicServer } from './public-server.ts'
import { tgi } from '../openai-compatible/__fixtures__/tgi.ts'
import { together } from '../openai-compatible/__fixtures__/together.ts'
import { vllm } from '../openai-compatible/__fixtures__/vllm.ts'
import { xai } from '../openai-compatible/__fixtures__/xai.ts'

/** All of them, in the order of their names. */
export const publicServers: readonly PublicServer[] = [
  ...[anthropic, gemini],
  ...[azureOpenAi, cerebras, dashscope, deepseek, fireworks, geminiCompatible, groq, llamaCpp, lmStudio, lmdeploy],
  ...[mistral, moonshot, ollama, openRouter, perplexity, tgi, together, vllm, xai],
]
