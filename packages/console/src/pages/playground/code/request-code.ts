/** The very request of the page as code in each language. Pure. */
import type { Sample } from '../../../samples/code-samples.ts'
import { javaScript, pythonArguments, shellText, shortened } from './literals.ts'

/** Values are the request's fields, as the page would send them. */
type Body = Readonly<Record<string, unknown>>

const KEY = 'YOUR_KEY'
const IN_PYTHON = 'pip install openai'
const IN_NODE = 'npm install openai'

const pythonClient = (baseUrl: string): string =>
  `from openai import OpenAI\n\nclient = OpenAI(base_url="${baseUrl}", api_key="${KEY}")\n`
const nodeClient = (baseUrl: string): string =>
  `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${KEY}' })\n`
const aiClient = (baseUrl: string): string =>
  `const svc = createOpenAICompatible({ name: 'svc', baseURL: '${baseUrl}', apiKey: '${KEY}' })\n`

function curl(baseUrl: string, path: string, body: Body, more = ''): Sample {
  const code = `curl ${baseUrl}${path} \\
  -H "Authorization: Bearer ${KEY}" \\
  -H "Content-Type: application/json" \\
  -d ${shellText(JSON.stringify(shortened(body), null, 2))}${more}`
  return { name: 'curl', install: null, code }
}

/** Names of the settings in the Vercel AI SDK. */
const AI_SETTINGS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxOutputTokens',
  seed: 'seed',
}

function aiPart(part: unknown): unknown {
  const { type, text, image_url: image } = Object(part) as Record<string, unknown>
  return type === 'text' ? { type, text } : { type: 'image', image: (Object(image) as { url?: unknown }).url }
}

function aiMessage(message: unknown): unknown {
  const { role, content } = Object(message) as Record<string, unknown>
  return { role, content: Array.isArray(content) ? content.map(aiPart) : content }
}

function aiChat(baseUrl: string, { model, messages, ...rest }: Body): Sample {
  const settings = Object.entries(rest).flatMap(([key, value]) => {
    const name = AI_SETTINGS[key]
    return name === undefined ? [] : [`  ${name}: ${javaScript(value)},\n`]
  })
  const said = (Array.isArray(messages) ? messages : []).map(aiMessage)
  const code = `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'

${aiClient(baseUrl)}const { textStream } = streamText({
  model: svc(${javaScript(model)}),
${settings.join('')}  messages: ${javaScript(said, 2)},
})
for await (const text of textStream) process.stdout.write(text)`
  return { name: 'Vercel AI SDK', install: 'npm install ai @ai-sdk/openai-compatible', code }
}

export function chatCode(baseUrl: string, body: Body): readonly Sample[] {
  const streamed = { ...body, stream: true }
  return [
    curl(baseUrl, '/chat/completions', streamed, ' \\\n  --no-buffer'),
    {
      ...{ name: 'Python', install: IN_PYTHON },
      code: `${pythonClient(baseUrl)}stream = client.chat.completions.create(
${pythonArguments(streamed)})
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)`,
    },
    {
      ...{ name: 'Node', install: IN_NODE },
      code: `${nodeClient(baseUrl)}const stream = await client.chat.completions.create(${javaScript(streamed)})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`,
    },
    aiChat(baseUrl, body),
  ]
}

function aiImage(baseUrl: string, { model, prompt, n, size, seed }: Body): Sample {
  const fields = Object.entries({ prompt, n, size, seed }).filter(([, value]) => value !== undefined)
  const code = `import { writeFileSync } from 'node:fs'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateImage } from 'ai'

${aiClient(baseUrl)}const { images } = await generateImage({
  model: svc.imageModel(${javaScript(model)}),
${fields.map(([key, value]) => `  ${key}: ${javaScript(value)},\n`).join('')}})
images.forEach((image, at) => writeFileSync(\`image-\${at}.png\`, image.uint8Array))`
  return { name: 'Vercel AI SDK', install: 'npm install ai @ai-sdk/openai-compatible', code }
}

/** @param inputs how many pictures are given to be changed. */
export function imageCode(baseUrl: string, body: Body, inputs: number): readonly Sample[] {
  if (inputs > 0) return editCode(baseUrl, body, inputs)
  return [
    curl(baseUrl, '/images/generations', body),
    {
      ...{ name: 'Python', install: IN_PYTHON },
      code: `import base64

${pythonClient(baseUrl)}answer = client.images.generate(
${pythonArguments(body)})
for at, image in enumerate(answer.data):
    with open(f"image-{at}.png", "wb") as file:
        file.write(base64.b64decode(image.b64_json))`,
    },
    {
      ...{ name: 'Node', install: IN_NODE },
      code: `import { writeFileSync } from 'node:fs'
${nodeClient(baseUrl)}const answer = await client.images.generate(${javaScript(body)})
answer.data.forEach((image, at) => writeFileSync(\`image-\${at}.png\`, Buffer.from(image.b64_json, 'base64')))`,
    },
    aiImage(baseUrl, body),
  ]
}

function formFields(body: Body): string {
  return Object.entries(body)
    .map(([key, value]) => ` \\\n  -F ${shellText(`${key}=${String(value as string | number | boolean)}`)}`)
    .join('')
}

function editCode(baseUrl: string, body: Body, inputs: number): readonly Sample[] {
  const names = Array.from({ length: inputs }, (_, at) => `input-${at}.png`)
  return [
    {
      ...{ name: 'curl', install: null },
      code: `curl ${baseUrl}/images/edits \\
  -H "Authorization: Bearer ${KEY}"${formFields(body)}${names.map((name) => ` \\\n  -F image[]=@${name}`).join('')}`,
    },
    {
      ...{ name: 'Python', install: IN_PYTHON },
      code: `${pythonClient(baseUrl)}answer = client.images.edit(
    image=[${names.map((name) => `open("${name}", "rb")`).join(', ')}],
${pythonArguments(body)})`,
    },
    {
      ...{ name: 'Node', install: IN_NODE },
      code: `import { createReadStream } from 'node:fs'
${nodeClient(baseUrl)}const answer = await client.images.edit({
  image: [${names.map((name) => `createReadStream('${name}')`).join(', ')}],
  ...${javaScript(body, 2)},
})`,
    },
  ]
}

export function videoCode(baseUrl: string, body: Body): readonly Sample[] {
  return [
    curl(baseUrl, '/videos', body),
    {
      ...{ name: 'Python', install: 'pip install requests' },
      code: `import time
import requests

headers = {"Authorization": "Bearer ${KEY}"}
job = requests.post("${baseUrl}/videos", headers=headers, json=dict(
${pythonArguments(body)})).json()
while job["status"] in ("queued", "in_progress"):
    time.sleep(5)
    job = requests.get(f"${baseUrl}/videos/{job['id']}", headers=headers).json()
if job["status"] == "completed":
    open("video.mp4", "wb").write(requests.get(job["unsigned_urls"][0]).content)`,
    },
    {
      ...{ name: 'Node', install: null },
      code: `import { writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const headers = { authorization: 'Bearer ${KEY}', 'content-type': 'application/json' }
const body = JSON.stringify(${javaScript(body)})
let job = await (await fetch('${baseUrl}/videos', { method: 'POST', headers, body })).json()
while (['queued', 'in_progress'].includes(job.status)) {
  await setTimeout(5_000)
  job = await (await fetch(\`${baseUrl}/videos/\${job.id}\`, { headers })).json()
}
if (job.status === 'completed') {
  await writeFile('video.mp4', new Uint8Array(await (await fetch(job.unsigned_urls[0])).arrayBuffer()))
}`,
    },
  ]
}

export function speechCode(baseUrl: string, body: Body): readonly Sample[] {
  const file = `speech.${typeof body['response_format'] === 'string' ? body['response_format'] : 'mp3'}`
  return [
    curl(baseUrl, '/audio/speech', body, ` \\\n  --output ${file}`),
    {
      ...{ name: 'Python', install: IN_PYTHON },
      code: `${pythonClient(baseUrl)}with client.audio.speech.with_streaming_response.create(
${pythonArguments(body)}) as answer:
    answer.stream_to_file("${file}")`,
    },
    {
      ...{ name: 'Node', install: IN_NODE },
      code: `import { writeFile } from 'node:fs/promises'
${nodeClient(baseUrl)}const answer = await client.audio.speech.create(${javaScript(body)})
await writeFile('${file}', Buffer.from(await answer.arrayBuffer()))`,
    },
  ]
}

/** @param body the fields of the form without its file. */
export function transcriptionCode(baseUrl: string, body: Body): readonly Sample[] {
  const { 'timestamp_granularities[]': granularities, ...rest } = body
  const words = Array.isArray(granularities) ? granularities : []
  const named = { ...rest, ...(words.length === 0 ? {} : { timestamp_granularities: words }) }
  const parts = words.map((word) => ` \\\n  -F 'timestamp_granularities[]=${String(word)}'`).join('')
  return [
    {
      ...{ name: 'curl', install: null },
      code: `curl ${baseUrl}/audio/transcriptions \\
  -H "Authorization: Bearer ${KEY}" \\
  -F file=@speech.mp3${formFields(rest)}${parts}`,
    },
    {
      ...{ name: 'Python', install: IN_PYTHON },
      code: `${pythonClient(baseUrl)}answer = client.audio.transcriptions.create(
    file=open("speech.mp3", "rb"),
${pythonArguments(named)})
print(answer.text)`,
    },
    {
      ...{ name: 'Node', install: IN_NODE },
      code: `import { createReadStream } from 'node:fs'
${nodeClient(baseUrl)}const answer = await client.audio.transcriptions.create({
  file: createReadStream('speech.mp3'),
  ...${javaScript(named, 2)},
})
console.log(answer.text)`,
    },
  ]
}
