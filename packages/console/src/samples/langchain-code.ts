/** A chat as code for LangChain. Pure. */
import { type Body, type CodePlace, needs, type Sample } from './code-parts.ts'
import { javaScript, type ValueFile } from './literals.ts'

/** Names of the settings in LangChain's client of OpenAI's API. */
const SETTINGS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxTokens',
}

/** What the class has no setting of its own for goes along as it is. */
export function langChainChat(place: CodePlace, body: Body, files: readonly ValueFile[]): Sample {
  const { model, messages, stream, stream_options: _usage, ...rest } = body
  const own = Object.entries(rest).flatMap(([key, value]) => {
    const name = SETTINGS[key]
    return name === undefined ? [] : [`  ${name}: ${javaScript(value)},\n`]
  })
  const other = Object.entries(rest).filter(([key]) => SETTINGS[key] === undefined)
  const more = other.length === 0 ? '' : `  modelKwargs: ${javaScript(Object.fromEntries(other), 2)},\n`
  const reads = files.length === 0 ? '' : "import { readFileSync } from 'node:fs'\n"
  const said = javaScript(messages)
  const asked =
    stream === true
      ? `for await (const chunk of await model.stream(${said})) process.stdout.write(chunk.text)`
      : `const answer = await model.invoke(${said})\nconsole.log(answer.text)`
  const code = `${reads}import { ChatOpenAI } from '@langchain/openai'

const model = new ChatOpenAI({
  model: ${javaScript(model)},
${own.join('')}${more}  apiKey: '${place.key}',
  configuration: { baseURL: '${place.baseUrl}' },
})
${asked}`
  return { name: 'LangChain', install: needs('npm install @langchain/openai @langchain/core', files), code }
}
