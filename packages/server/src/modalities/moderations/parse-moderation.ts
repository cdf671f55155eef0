import {
  MODERATION_INPUTS_MAX,
  MODERATION_MODEL_DEFAULT,
  moderationRequest,
  type ModerationRequest,
} from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { refuseBeyond } from '../../pipeline/within-bound.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'

/** A request for moderation whose shape is known to be right, with the very text that the client sent. */
export interface ModerationCall {
  readonly body: JsonBody
  /** As the request names it, or the usual one. */
  readonly model: string
  /** All texts; at least one, or an image. */
  readonly texts: readonly string[]
  readonly images: number
  /** How many results its answer has. */
  readonly count: number
}

const spellings = new SpellingCheck(Object.keys(moderationRequest.shape))
const guard = new WorkGuard('moderation', Object.keys(moderationRequest.shape))

/** Refuses too many inputs before each of them is looked at. */
function refuseCrowd({ input }: Readonly<Record<string, unknown>>): void {
  if (!Array.isArray(input) || input.length <= MODERATION_INPUTS_MAX) return
  const message = `Invalid value for 'input': expected at most ${MODERATION_INPUTS_MAX} items.`
  throw new ServiceError('invalid_value', message, { param: 'input' })
}

type Inputs = Pick<ModerationCall, 'texts' | 'images' | 'count'>

/** @throws {ServiceError} 400 for a part of text without one. */
function inputsOf({ input }: ModerationRequest): Inputs {
  if (typeof input === 'string') return { texts: [input], images: 0, count: 1 }
  const texts: string[] = []
  let images = 0
  for (const [index, each] of input.entries()) {
    if (typeof each === 'string') texts.push(each)
    else if (each.type === 'image_url') images += 1
    else if (typeof each['text'] === 'string') texts.push(each['text'])
    else {
      const param = `input.${index}.text`
      throw new ServiceError('invalid_value', `Invalid value for '${param}': expected string.`, { param })
    }
  }
  return { texts, images, count: typeof input[0] === 'string' ? input.length : 1 }
}

/**
 * Reads the body of a request for moderation. What the gateway does not read goes on unchecked, byte for byte.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or no content at all.
 */
export function parseModeration(text: CountedJson): ModerationCall {
  const value = parseJsonObject(text)
  refuseCrowd(value)
  const request = parseBySchema(moderationRequest, value)
  const members = scanBody(text)
  spellings.refuse(members.keys())
  const body = { text, value, members }
  // Texts have at most as many tokens as bytes.
  refuseBeyond(guard.readBody(body), { tokens: text.length, answers: 1 })
  const inputs = inputsOf(request)
  if (inputs.images === 0 && inputs.texts.every((each) => each.trim() === '')) {
    throw new ServiceError('empty_content', 'There is no text to classify. You were not charged.', { param: 'input' })
  }
  return { body, model: request.model ?? MODERATION_MODEL_DEFAULT, ...inputs }
}
