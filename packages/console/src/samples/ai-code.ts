/** A chat as code for the Vercel AI SDK, which has names of its own. Pure. */
import { aiClient, type Body, type CodePlace, IN_AI, needs, type Sample } from './code-parts.ts'
import { javaScript, type ValueFile } from './literals.ts'

/** Names of the settings. */
const SETTINGS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxOutputTokens',
  seed: 'seed',
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => Object(value) as Fields
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function partOf(part: unknown): unknown {
  const { type, text, image_url: image, file, input_audio: audio } = fieldsOf(part)
  if (type === 'text') return { type, text }
  if (type === 'file') {
    const { filename, file_data: data } = fieldsOf(file)
    return { type, mediaType: 'application/pdf', filename, data }
  }
  if (type === 'input_audio') {
    const { data, format } = fieldsOf(audio)
    return { type: 'file', mediaType: `audio/${format === 'mp3' ? 'mpeg' : String(format)}`, data }
  }
  return { type: 'image', image: fieldsOf(image)['url'] }
}

function callOf(call: unknown): unknown {
  const { id, function: called } = fieldsOf(call)
  const { name, arguments: given } = fieldsOf(called)
  return { type: 'tool-call', toolCallId: id, toolName: name, input: inputOf(given) }
}

/** A model may have written no JSON. */
function inputOf(given: unknown): unknown {
  try {
    return JSON.parse(String(given))
  } catch {
    return {}
  }
}

/** @param names of the tools that were called, by the id of the call. */
function messageOf(message: unknown, names: ReadonlyMap<unknown, unknown>): unknown {
  const { role, content, tool_calls: calls, tool_call_id: id } = fieldsOf(message)
  if (role === 'tool') {
    const output = { type: 'text', value: content }
    return { role, content: [{ type: 'tool-result', toolCallId: id, toolName: names.get(id), output }] }
  }
  if (Array.isArray(calls)) {
    const said = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
    return { role, content: [...said, ...calls.map(callOf)] }
  }
  return { role, content: Array.isArray(content) ? content.map(partOf) : content }
}

function messagesOf(messages: unknown): readonly unknown[] {
  const calls = listOf(messages).flatMap((message) => listOf(fieldsOf(message)['tool_calls']))
  const names = new Map(
    calls.map((call) => [fieldsOf(call)['id'], fieldsOf(fieldsOf(call)['function'])['name']] as const),
  )
  return listOf(messages).map((message) => messageOf(message, names))
}

function toolsOf(tools: unknown): string {
  const lines = listOf(tools).map((each) => {
    const { name, description, parameters } = fieldsOf(fieldsOf(each)['function'])
    const about = description === undefined ? '' : `description: ${javaScript(description)}, `
    return `    ${javaScript(name)}: tool({ ${about}inputSchema: jsonSchema(${javaScript(parameters, 4)}) }),\n`
  })
  return lines.length === 0 ? '' : `  tools: {\n${lines.join('')}  },\n`
}

/** What the SDK has no word for goes along as it is. */
function optionsOf({ reasoning_effort: effort, response_format: format }: Body): string {
  const options = {
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...(format === undefined ? {} : { response_format: format }),
  }
  return Object.keys(options).length === 0 ? '' : `  providerOptions: ${javaScript({ svc: options }, 2)},\n`
}

/** Streamed where the body says so. */
export function aiChat(place: CodePlace, body: Body, files: readonly ValueFile[]): Sample {
  const { model, messages, tools, stream, ...rest } = body
  const settings = Object.entries(rest).flatMap(([key, value]) => {
    const name = SETTINGS[key]
    return name === undefined ? [] : [`  ${name}: ${javaScript(value)},\n`]
  })
  const isStream = stream === true
  const offered = toolsOf(tools)
  const result = isStream ? 'textStream' : offered === '' ? 'text' : 'content'
  const work = isStream ? 'streamText' : 'generateText'
  const imported = [work, ...(offered === '' ? [] : ['jsonSchema', 'tool'])].join(', ')
  const reads = files.length === 0 ? '' : "import { readFileSync } from 'node:fs'\n"
  const code = `${reads}import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ${imported} } from 'ai'

${aiClient(place)}const { ${result} } = ${isStream ? work : `await ${work}`}({
  model: svc(${javaScript(model)}),
${settings.join('')}${offered}${optionsOf(body)}  messages: ${javaScript(messagesOf(messages), 2)},
})
${isStream ? 'for await (const text of textStream) process.stdout.write(text)' : `console.log(${result})`}`
  return { name: 'Vercel AI SDK', install: needs(IN_AI, files), code }
}
