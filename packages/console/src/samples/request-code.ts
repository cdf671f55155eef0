/** A request as code in each language. Pure. */
import {
  aiClient,
  type Body,
  type CodePlace,
  curl,
  IN_AI,
  IN_NODE,
  IN_PYTHON,
  needs,
  nodeClient,
  nodeFiles,
  pythonClient,
  pythonFiles,
  type Sample,
} from './code-parts.ts'
import { aiChat } from './ai-code.ts'
import { langChainChat } from './langchain-code.ts'
import { javaScript, pythonArguments, shellText, type ValueFile, withFiles } from './literals.ts'

/** Streamed where the body says so; with tools it is whole, since calls come in pieces. */
export function chatCode(place: CodePlace, request: Body): readonly Sample[] {
  const { value, files } = withFiles(request)
  const { stream, ...whole } = value as Body
  const body = 'tools' in whole ? whole : (value as Body)
  return stream === true && !('tools' in whole) ? streamCode(place, body, files) : wholeCode(place, body, files)
}

function wholeCode(place: CodePlace, body: Body, files: readonly ValueFile[]): readonly Sample[] {
  return [
    curl(place, '/chat/completions', body, { files }),
    {
      name: 'Python',
      install: needs(IN_PYTHON, files),
      code: `${pythonFiles(files)}${pythonClient(place)}answer = client.chat.completions.create(
${pythonArguments(body)})
print(answer.choices[0].message.${'tools' in body ? 'model_dump_json()' : 'content'})`,
    },
    {
      name: 'Node',
      install: needs(IN_NODE, files),
      code: `${nodeFiles(files)}${nodeClient(place)}const answer = await client.chat.completions.create(${javaScript(body)})
console.log(answer.choices[0].message${'tools' in body ? '' : '.content'})`,
    },
    aiChat(place, body, files),
    langChainChat(place, body, files),
  ]
}

function streamCode(place: CodePlace, streamed: Body, files: readonly ValueFile[]): readonly Sample[] {
  return [
    curl(place, '/chat/completions', streamed, { more: ' \\\n  --no-buffer', files }),
    {
      name: 'Python',
      install: needs(IN_PYTHON, files),
      code: `${pythonFiles(files)}${pythonClient(place)}stream = client.chat.completions.create(
${pythonArguments(streamed)})
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)`,
    },
    {
      name: 'Node',
      install: needs(IN_NODE, files),
      code: `${nodeFiles(files)}${nodeClient(place)}const stream = await client.chat.completions.create(${javaScript(streamed)})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`,
    },
    aiChat(place, streamed, files),
    langChainChat(place, streamed, files),
  ]
}

function aiImage(place: CodePlace, { model, prompt, n, size, seed }: Body): Sample {
  const fields = Object.entries({ prompt, n, size, seed }).filter(([, value]) => value !== undefined)
  const code = `import { writeFileSync } from 'node:fs'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateImage } from 'ai'

${aiClient(place)}const { images } = await generateImage({
  model: svc.imageModel(${javaScript(model)}),
${fields.map(([key, value]) => `  ${key}: ${javaScript(value)},\n`).join('')}})
images.forEach((image, at) => writeFileSync(\`image-\${at}.png\`, image.uint8Array))`
  return { name: 'Vercel AI SDK', install: IN_AI, code }
}

/** @param inputs how many images are given to be changed. */
export function imageCode(place: CodePlace, body: Body, inputs: number): readonly Sample[] {
  if (inputs > 0) return editCode(place, body, inputs)
  return [
    curl(place, '/images/generations', body),
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `import base64

${pythonClient(place)}answer = client.images.generate(
${pythonArguments(body)})
for at, image in enumerate(answer.data):
    with open(f"image-{at}.png", "wb") as file:
        file.write(base64.b64decode(image.b64_json))`,
    },
    {
      name: 'Node',
      install: IN_NODE,
      code: `import { writeFileSync } from 'node:fs'
${nodeClient(place)}const answer = await client.images.generate(${javaScript(body)})
answer.data.forEach((image, at) => writeFileSync(\`image-\${at}.png\`, Buffer.from(image.b64_json, 'base64')))`,
    },
    aiImage(place, body),
  ]
}

function formFields(body: Body): string {
  return Object.entries(body)
    .map(([key, value]) => ` \\\n  -F ${shellText(`${key}=${String(value as string | number | boolean)}`)}`)
    .join('')
}

function editCode(place: CodePlace, body: Body, inputs: number): readonly Sample[] {
  const names = Array.from({ length: inputs }, (_, at) => `input-${at}.png`)
  return [
    {
      name: 'curl',
      install: null,
      code: `curl ${place.baseUrl}/images/edits \\
  -H "Authorization: Bearer ${place.key}"${formFields(body)}${names.map((name) => ` \\\n  -F image[]=@${name}`).join('')}`,
    },
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `${pythonClient(place)}answer = client.images.edit(
    image=[${names.map((name) => `open("${name}", "rb")`).join(', ')}],
${pythonArguments(body)})`,
    },
    {
      name: 'Node',
      install: IN_NODE,
      code: `import { createReadStream } from 'node:fs'
${nodeClient(place)}const answer = await client.images.edit({
  image: [${names.map((name) => `createReadStream('${name}')`).join(', ')}],
  ...${javaScript(body, 2)},
})`,
    },
  ]
}

export function speechCode(place: CodePlace, body: Body): readonly Sample[] {
  const file = `speech.${typeof body['response_format'] === 'string' ? body['response_format'] : 'mp3'}`
  return [
    curl(place, '/audio/speech', body, { more: ` \\\n  --output ${file}` }),
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `${pythonClient(place)}with client.audio.speech.with_streaming_response.create(
${pythonArguments(body)}) as answer:
    answer.stream_to_file("${file}")`,
    },
    {
      name: 'Node',
      install: IN_NODE,
      code: `import { writeFile } from 'node:fs/promises'
${nodeClient(place)}const answer = await client.audio.speech.create(${javaScript(body)})
await writeFile('${file}', Buffer.from(await answer.arrayBuffer()))`,
    },
  ]
}

/** @param body the fields of the form without its file. */
export function transcriptionCode(place: CodePlace, body: Body): readonly Sample[] {
  const { 'timestamp_granularities[]': granularities, ...rest } = body
  const words = Array.isArray(granularities) ? granularities : []
  const named = { ...rest, ...(words.length === 0 ? {} : { timestamp_granularities: words }) }
  const parts = words.map((word) => ` \\\n  -F 'timestamp_granularities[]=${String(word)}'`).join('')
  return [
    {
      name: 'curl',
      install: null,
      code: `curl ${place.baseUrl}/audio/transcriptions \\
  -H "Authorization: Bearer ${place.key}" \\
  -F file=@speech.mp3${formFields(rest)}${parts}`,
    },
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `${pythonClient(place)}answer = client.audio.transcriptions.create(
    file=open("speech.mp3", "rb"),
${pythonArguments(named)})
print(answer.text)`,
    },
    {
      name: 'Node',
      install: IN_NODE,
      code: `import { createReadStream } from 'node:fs'
${nodeClient(place)}const answer = await client.audio.transcriptions.create({
  file: createReadStream('speech.mp3'),
  ...${javaScript(named, 2)},
})
console.log(answer.text)`,
    },
  ]
}

export function moderationCode(place: CodePlace, body: Body): readonly Sample[] {
  return [
    curl(place, '/moderations', body),
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `${pythonClient(place)}answer = client.moderations.create(
${pythonArguments(body)})
print(answer.results[0].flagged)`,
    },
    {
      name: 'Node',
      install: IN_NODE,
      code: `${nodeClient(place)}const answer = await client.moderations.create(${javaScript(body)})
console.log(answer.results[0].flagged)`,
    },
  ]
}

/** No official client has a call for it, so each is made by hand. */
export function rerankCode(place: CodePlace, body: Body): readonly Sample[] {
  return [
    curl(place, '/rerank', body),
    {
      name: 'Node',
      install: IN_NODE,
      code: `${nodeClient(place)}const { results } = await client.post('/rerank', { body: ${javaScript(body)} })
console.log(results[0].index, results[0].relevance_score)`,
    },
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `${pythonClient(place)}answer = client.post('/rerank', cast_to=object, body=dict(
${pythonArguments(body)}))
print(answer['results'][0])`,
    },
  ]
}

export function embeddingCode(place: CodePlace, body: Body): readonly Sample[] {
  return [
    curl(place, '/embeddings', body),
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `${pythonClient(place)}answer = client.embeddings.create(
${pythonArguments(body)})
print(len(answer.data[0].embedding))`,
    },
    {
      name: 'Node',
      install: IN_NODE,
      code: `${nodeClient(place)}const answer = await client.embeddings.create(${javaScript(body)})
console.log(answer.data[0].embedding.length)`,
    },
    {
      name: 'Vercel AI SDK',
      install: IN_AI,
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embed } from 'ai'

${aiClient(place)}const { embedding } = await embed({
  model: svc.embeddingModel(${javaScript(body['model'])}),
  value: ${javaScript(body['input'])},
})
console.log(embedding.length)`,
    },
  ]
}
