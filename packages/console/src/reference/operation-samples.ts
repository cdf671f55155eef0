/** An operation as code in each language that has a client for it. Pure. */
import {
  type Body,
  type CodePlace,
  curl,
  IN_NODE,
  IN_PYTHON,
  nodeClient,
  pythonClient,
  type Sample,
} from '../samples/code-parts.ts'
import { javaScript, pythonArguments } from '../samples/literals.ts'
import {
  chatCode,
  embeddingCode,
  imageCode,
  moderationCode,
  rerankCode,
  speechCode,
  transcriptionCode,
} from '../samples/request-code.ts'
import { videoCode } from '../samples/video-code.ts'
import type { Operation } from './operations.ts'

type Coder = (place: CodePlace, body: Body) => readonly Sample[]

/** Operations that the usual clients have calls for. */
const KNOWN: Readonly<Record<string, Coder>> = {
  createChatCompletion: chatCode,
  createResponse: responseCode,
  createEmbedding: embeddingCode,
  createRerank: rerankCode,
  createModeration: moderationCode,
  createImage: (place, body) => imageCode(place, body, 0),
  createSpeech: speechCode,
  createVideo: (place, body) => videoCode(place, body, '/videos/generations'),
  submitVideo: (place, body) => videoCode(place, body),
  createTranscription: (place) => transcriptionCode(place, { model: 'whisper-1' }),
}

function responseCode(place: CodePlace, body: Body): readonly Sample[] {
  return [
    curl(place, '/responses', body),
    {
      name: 'Python',
      install: IN_PYTHON,
      code: `${pythonClient(place)}answer = client.responses.create(\n${pythonArguments(body)})\nprint(answer.output_text)`,
    },
    {
      name: 'Node',
      install: IN_NODE,
      code: `${nodeClient(place)}const answer = await client.responses.create(${javaScript(body)})\nconsole.log(answer.output_text)`,
    },
    {
      name: 'Vercel AI SDK',
      install: 'npm install ai @ai-sdk/openai',
      code: `import { createOpenAI } from '@ai-sdk/openai'
import { generateText } from 'ai'

const svc = createOpenAI({ baseURL: '${place.baseUrl}', apiKey: '${place.key}' })
const { text } = await generateText({
  model: svc(${javaScript(body['model'])}),
  prompt: 'Say hello.',
})
console.log(text)`,
    },
  ]
}

/** The body of the document's example, or of a form's first fields. */
function exampleBody({ bodies }: Operation): Body | null {
  const json = bodies.find(({ type }) => type === 'application/json')
  return json === undefined ? null : ((json.example ?? {}) as Body)
}

/** A name that is clear in a shell, in place of a value that only the reader knows. */
const placeOf = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()

/** The path with what the reader has to put in. */
export const samplePath = ({ path }: Pick<Operation, 'path'>): string =>
  path.replaceAll(/\{([^}]{1,40})\}/g, (_all, name: string) => placeOf(name))

/** @param place its address ends in `/api/v1`, whatever the operation's is. */
export function samplesOf(operation: Operation, place: CodePlace): readonly Sample[] {
  const body = exampleBody(operation)
  const known = KNOWN[operation.id]
  if (known !== undefined) return known(place, body ?? {})
  return plainCode(operation, place, body)
}

/** For what no client has a call for: the request itself. */
function plainCode(operation: Operation, place: CodePlace, body: Body | null): readonly Sample[] {
  const { method, auth, bodies } = operation
  const address = `${place.baseUrl.replace(/\/api\/v1$/, '')}${samplePath(operation)}`
  const isForm = body === null && bodies.some(({ type }) => type === 'multipart/form-data')
  const hasKey = auth === 'key'
  const key = `Authorization: Bearer ${place.key}`
  const json = body === null ? null : JSON.stringify(body, null, 2)
  const curlLines = [
    `curl ${method === 'GET' || (method === 'POST' && (json !== null || isForm)) ? '' : `-X ${method} `}${address}`,
    ...(hasKey ? [`  -H "${key}"`] : []),
    ...(isForm ? formParts(operation).map((part) => `  -F ${part}`) : []),
    ...(json === null
      ? []
      : ['  -H "Content-Type: application/json"', `  -d '${json.replaceAll("'", String.raw`'\''`)}'`]),
  ]
  const call = method.toLowerCase()
  const python = [
    'import requests\n',
    `answer = requests.${call}(`,
    `    "${address}",`,
    ...(hasKey ? [`    headers={"Authorization": "Bearer ${place.key}"},`] : []),
    ...(isForm ? ['    files={"file": open("FILE", "rb")},'] : []),
    ...(body === null ? [] : [`    json=dict(\n${pythonArguments(body).replaceAll(/^/gm, '    ').trimEnd()}\n    ),`]),
    ')',
    'print(answer.status_code, answer.text)',
  ]
  const headers = [
    ...(hasKey ? [`    authorization: 'Bearer ${place.key}',`] : []),
    ...(body === null ? [] : ["    'content-type': 'application/json',"]),
  ]
  const node = [
    ...(isForm
      ? [
          "import { openAsBlob } from 'node:fs'\n",
          'const form = new FormData()',
          "form.set('file', await openAsBlob('FILE'), 'FILE')",
        ]
      : []),
    `const answer = await fetch('${address}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(isForm ? ['  body: form,'] : []),
    ...(body === null ? [] : [`  body: JSON.stringify(${javaScript(body, 2)}),`]),
    '})',
    'console.log(answer.status, await answer.text())',
  ]
  return [
    { name: 'curl', install: null, code: curlLines.join(' \\\n') },
    { name: 'Python', install: 'pip install requests', code: python.join('\n') },
    { name: 'Node', install: null, code: node.join('\n') },
  ]
}

function formParts({ bodies }: Operation): readonly string[] {
  const { schema } = bodies.find(({ type }) => type === 'multipart/form-data') ?? {}
  const required = schema?.required ?? []
  return required.map((name) =>
    schema?.properties?.[name]?.format === 'binary' ? `${name}=@FILE` : `${name}=${placeOf(name)}`,
  )
}
