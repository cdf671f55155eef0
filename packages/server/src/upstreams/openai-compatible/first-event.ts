import { parseJsonText } from '../../platform/json/parse-json.ts'
import { bodyForm } from '../body-form.ts'
import { SseDecoder } from '../sse-decoder.ts'

/** What the first event of a body says, where that is JSON; undefined for a body that is no events. */
export function firstEvent(body: Buffer): unknown {
  if (bodyForm(body.subarray(0, 64), undefined) !== 'events') return undefined
  const found: unknown[] = []
  const decoder = new SseDecoder((data) => void found.push(parseJsonText(Buffer.from(data))))
  decoder.push(body)
  decoder.end()
  return found[0]
}
