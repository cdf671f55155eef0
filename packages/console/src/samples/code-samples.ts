/** A first request in each language, with the key and the address filled in. */
import type { ModelEntry } from '@svc/contract'

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

export type SampleKind = ModelEntry['svc']['type']

export const SAMPLE_PROMPT = 'Say hello in five words.'
/** Stands where a key goes that is not known. */
export const KEY_PLACE = 'YOUR_KEY'
/** Said beside samples that have the place of a key and not the key. */
export const KEY_HINT = `Put your key in place of ${KEY_PLACE}: it was shown once, when it was made.`
const SCENE = 'A paper boat on a river at dawn.'

const PYTHON = 'pip install openai'
const NODE = 'npm install openai'
/** The client is run from the sources: see docs/cli.md. */
const SVC = "in a checkout of the gateway: alias svc='npm run --silent svc --'"
const VERCEL = 'npm install ai @ai-sdk/openai-compatible'

const curl = ({ baseUrl, key }: SampleParts, path: string, body: object): string =>
  `curl ${baseUrl}${path} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body)}'`

const pythonClient = ({ baseUrl, key }: SampleParts): string => `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")`

const nodeClient = ({ baseUrl, key }: SampleParts): string =>
  `const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' })`

const vercelProvider = ({ baseUrl, key }: SampleParts): string =>
  `const svc = createOpenAICompatible({ name: 'svc', baseURL: '${baseUrl}', apiKey: '${key}' })`

function svc({ baseUrl, key }: SampleParts, command: string): Sample {
  const code = `export SVC_BASE_URL=${baseUrl.replace(/\/v1$/, '')}
export SVC_API_KEY=${key}
${command}`
  return { name: 'svc', install: SVC, code }
}

function chatSamples(parts: SampleParts): readonly Sample[] {
  const { model } = parts
  return [
    {
      name: 'curl',
      install: null,
      code: curl(parts, '/chat/completions', { model, messages: [{ role: 'user', content: SAMPLE_PROMPT }] }),
    },
    {
      name: 'Python',
      install: PYTHON,
      code: `${pythonClient(parts)}
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${SAMPLE_PROMPT}"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      name: 'Node',
      install: NODE,
      code: `import OpenAI from 'openai'

${nodeClient(parts)}
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${SAMPLE_PROMPT}' }],
})
console.log(answer.choices[0].message.content)`,
    },
    {
      name: 'Vercel AI SDK',
      install: VERCEL,
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

${vercelProvider(parts)}
const { text } = await generateText({ model: svc('${model}'), prompt: '${SAMPLE_PROMPT}' })
console.log(text)`,
    },
    svc(parts, `svc chat --model ${model} "${SAMPLE_PROMPT}"`),
  ]
}

function imageSamples(parts: SampleParts): readonly Sample[] {
  const { model } = parts
  return [
    { name: 'curl', install: null, code: curl(parts, '/images/generations', { model, prompt: SCENE }) },
    {
      name: 'Python',
      install: PYTHON,
      code: `import base64
${pythonClient(parts)}
answer = client.images.generate(model="${model}", prompt="${SCENE}")
with open("boat.png", "wb") as file:
    file.write(base64.b64decode(answer.data[0].b64_json))`,
    },
    {
      name: 'Node',
      install: NODE,
      code: `import { writeFile } from 'node:fs/promises'
import OpenAI from 'openai'

${nodeClient(parts)}
const answer = await client.images.generate({ model: '${model}', prompt: '${SCENE}' })
await writeFile('boat.png', Buffer.from(answer.data[0].b64_json, 'base64'))`,
    },
    {
      name: 'Vercel AI SDK',
      install: VERCEL,
      code: `import { writeFile } from 'node:fs/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateImage } from 'ai'

${vercelProvider(parts)}
const { image } = await generateImage({ model: svc.imageModel('${model}'), prompt: '${SCENE}' })
await writeFile('boat.png', image.uint8Array)`,
    },
    svc(parts, `svc image "${SCENE}" --model ${model} -o boat.png`),
  ]
}

function videoSamples(parts: SampleParts): readonly Sample[] {
  const { model } = parts
  return [
    {
      name: 'curl',
      install: null,
      code: `${curl(parts, '/videos', { model, prompt: SCENE })}
# The answer names the job. Ask for it until its status is "completed":
curl ${parts.baseUrl}/videos/JOB_ID -H "Authorization: Bearer ${parts.key}"`,
    },
    {
      name: 'Node',
      install: NODE,
      code: `import OpenAI from 'openai'

${nodeClient(parts)}
let video = await client.videos.create({ model: '${model}', prompt: '${SCENE}' })
while (video.status === 'queued' || video.status === 'in_progress') {
  await new Promise((resolve) => setTimeout(resolve, 5000))
  video = await client.videos.retrieve(video.id)
}
console.log(video.status, video.data?.[0]?.url)`,
    },
    svc(parts, `svc video "${SCENE}" --model ${model} -o boat.mp4`),
  ]
}

function speechSamples(parts: SampleParts): readonly Sample[] {
  const { model } = parts
  return [
    {
      name: 'curl',
      install: null,
      code: `${curl(parts, '/audio/speech', { model, input: SCENE, voice: 'alloy' })} \\
  -o boat.mp3`,
    },
    {
      name: 'Python',
      install: PYTHON,
      code: `${pythonClient(parts)}
speech = client.audio.speech.create(model="${model}", voice="alloy", input="${SCENE}")
speech.write_to_file("boat.mp3")`,
    },
    {
      name: 'Node',
      install: NODE,
      code: `import { writeFile } from 'node:fs/promises'
import OpenAI from 'openai'

${nodeClient(parts)}
const speech = await client.audio.speech.create({ model: '${model}', voice: 'alloy', input: '${SCENE}' })
await writeFile('boat.mp3', Buffer.from(await speech.arrayBuffer()))`,
    },
    svc(parts, `svc speak "${SCENE}" --model ${model} -o boat.mp3`),
  ]
}

function transcriptionSamples(parts: SampleParts): readonly Sample[] {
  const { baseUrl, key, model } = parts
  return [
    {
      name: 'curl',
      install: null,
      code: `curl ${baseUrl}/audio/transcriptions \\
  -H "Authorization: Bearer ${key}" \\
  -F model=${model} -F file=@boat.mp3`,
    },
    {
      name: 'Python',
      install: PYTHON,
      code: `${pythonClient(parts)}
with open("boat.mp3", "rb") as file:
    transcript = client.audio.transcriptions.create(model="${model}", file=file)
print(transcript.text)`,
    },
    {
      name: 'Node',
      install: NODE,
      code: `import { createReadStream } from 'node:fs'
import OpenAI from 'openai'

${nodeClient(parts)}
const transcript = await client.audio.transcriptions.create({
  model: '${model}',
  file: createReadStream('boat.mp3'),
})
console.log(transcript.text)`,
    },
    svc(parts, `svc transcribe boat.mp3 --model ${model}`),
  ]
}

function embeddingSamples(parts: SampleParts): readonly Sample[] {
  const { model } = parts
  return [
    { name: 'curl', install: null, code: curl(parts, '/embeddings', { model, input: SCENE }) },
    {
      name: 'Python',
      install: PYTHON,
      code: `${pythonClient(parts)}
answer = client.embeddings.create(model="${model}", input="${SCENE}")
print(len(answer.data[0].embedding))`,
    },
    {
      name: 'Node',
      install: NODE,
      code: `import OpenAI from 'openai'

${nodeClient(parts)}
const answer = await client.embeddings.create({ model: '${model}', input: '${SCENE}' })
console.log(answer.data[0].embedding.length)`,
    },
    {
      name: 'Vercel AI SDK',
      install: VERCEL,
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embed } from 'ai'

${vercelProvider(parts)}
const { embedding } = await embed({ model: svc.embeddingModel('${model}'), value: '${SCENE}' })
console.log(embedding.length)`,
    },
  ]
}

const SAMPLES: Readonly<Record<SampleKind, (parts: SampleParts) => readonly Sample[]>> = {
  text: chatSamples,
  image: imageSamples,
  video: videoSamples,
  speech: speechSamples,
  transcription: transcriptionSamples,
  embedding: embeddingSamples,
}

/** A request to a model in each language that has a client for its kind. */
export function samplesFor(kind: SampleKind, parts: SampleParts): readonly Sample[] {
  return SAMPLES[kind](parts)
}
