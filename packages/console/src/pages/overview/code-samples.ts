/** A first request in each language, with the key and the address filled in. */

export interface Sample {
  readonly name: string
  /** What must be installed first; null for nothing. */
  readonly install: string | null
  readonly code: string
}

export interface SampleParts {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string
  readonly key: string
  readonly model: string
}

export const SAMPLE_PROMPT = 'Say hello in five words.'

export function samplesFor({ baseUrl, key, model }: SampleParts): readonly Sample[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: SAMPLE_PROMPT }] })
  return [
    {
      name: 'curl',
      install: null,
      code: `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
    },
    {
      name: 'Python',
      install: 'pip install openai',
      code: `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${SAMPLE_PROMPT}"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      name: 'Node',
      install: 'npm install openai',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' })
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${SAMPLE_PROMPT}' }],
})
console.log(answer.choices[0].message.content)`,
    },
    {
      name: 'Vercel AI SDK',
      install: 'npm install ai @ai-sdk/openai-compatible',
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const svc = createOpenAICompatible({ name: 'svc', baseURL: '${baseUrl}', apiKey: '${key}' })
const { text } = await generateText({ model: svc('${model}'), prompt: '${SAMPLE_PROMPT}' })
console.log(text)`,
    },
    {
      name: 'svc',
      install: null,
      code: `export SVC_BASE_URL=${baseUrl.replace(/\/v1$/, '')}
export SVC_API_KEY=${key}
svc chat --model ${model} "${SAMPLE_PROMPT}"`,
    },
  ]
}
