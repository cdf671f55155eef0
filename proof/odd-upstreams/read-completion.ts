/** Reads a text completion as strict clients do. Source: OpenAI's API reference, the completion object. */
import { onlyChoice, readChunks, usageIn } from './read-chunks.ts'
import { count, creditsIn, type Json, must, name, parse, type Reading, records, text } from './reading.ts'

const FINISHES: ReadonlySet<unknown> = new Set(['stop', 'length', 'content_filter'])

function checkCommon(value: Json, model: string): void {
  must(name(value['id'], 'the id').startsWith('cmpl-'), 'the id is that of something else', value['id'])
  must(value['object'] === 'text_completion', 'the object is another', value['object'])
  count(value['created'], 'the time')
  must(value['model'] === model, 'the model is another', value['model'])
}

/** The choice of an answer or of an event: all but the text may be left out of no one. */
function checkedChoice(choice: Json): Json {
  must('finish_reason' in choice && 'logprobs' in choice, 'a choice lacks a part', choice)
  text(choice['text'], 'the text')
  return choice
}

const reasoningIn = ({ reasoning }: Json): string => (reasoning === undefined ? '' : text(reasoning, 'the reasoning'))

/** Reads a whole answer. */
export function readWholeCompletion(body: string, model: string): Reading {
  const value = parse(body)
  checkCommon(value, model)
  const choice = checkedChoice(onlyChoice(records(value['choices'], 'choices')))
  must(FINISHES.has(choice['finish_reason']), 'the end is unknown', choice['finish_reason'])
  return {
    ends: 'whole',
    text: choice['text'] as string,
    reasoning: reasoningIn(choice),
    calls: [],
    finish: choice['finish_reason'] as string,
    usage: usageIn(value),
    credits: creditsIn(value),
  }
}

/** Reads a stream to its end. @param withUsage whether it was asked to show usage. */
export function readStreamedCompletion(body: string, model: string, withUsage: boolean): Reading {
  const said = { text: '', reasoning: '' }
  const end = readChunks(body, withUsage, {
    ...{ what: 'text', finishes: FINISHES },
    check: (value) => checkCommon(value, model),
    take: (choice) => {
      said.text += checkedChoice(choice)['text'] as string
      said.reasoning += reasoningIn(choice)
    },
  })
  return { ...said, calls: [], ...end }
}
