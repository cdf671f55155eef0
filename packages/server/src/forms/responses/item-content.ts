/** The content of an item of a Responses request as that of a chat's message. Pure. */
import { ownMember, MESSAGE_PARTS_MAX } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { pickFields, requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import { recordOf, textOf } from '../translated-chat.ts'

type Fields = Readonly<Record<string, unknown>>

const NOT_HERE = 'the gateway keeps no files: send the content itself.'

/** Content that is named and not sent. @throws {ServiceError} 400: the model would answer without it. */
function refuseNamed(part: Fields, { named, sent }: { named: readonly string[]; sent: string }, path: string): void {
  if (textOf(part[sent]) !== null) return
  const name = named.find((each) => textOf(part[each]) !== null)
  if (name !== undefined) throw unsupported(`${path}.${name}`, NOT_HERE)
}

function imagePart(part: Fields, path: string): Fields {
  refuseNamed(part, { named: ['file_id'], sent: 'image_url' }, path)
  return {
    type: 'image_url',
    image_url: { url: requireText(part, 'image_url', path), ...pickFields(part, { detail: 'detail' }) },
  }
}

function filePart(part: Fields, path: string): Fields {
  refuseNamed(part, { named: ['file_id', 'file_url'], sent: 'file_data' }, path)
  const file = { file_data: requireText(part, 'file_data', path), ...pickFields(part, { filename: 'filename' }) }
  return { type: 'file', file }
}

/** An answer's annotations and logprobs come back with it; they are about the text, and no part of it. */
function textPart(part: Fields, path: string): Fields {
  return { type: 'text', text: requireText(part, 'text', path) }
}

const parts: Readonly<Record<string, (part: Fields, path: string) => Fields>> = {
  text: textPart,
  input_text: textPart,
  output_text: textPart,
  input_image: imagePart,
  input_file: filePart,
  input_audio: (part) => part,
  refusal: (part, path) => ({ type: 'refusal', refusal: requireText(part, 'refusal', path) }),
}

/**
 * The content of a message, or the output of a call. What an item says beside its content is left out: it is for those
 * who keep it.
 *
 * @throws {ServiceError} 400 naming a part that no chat has, or that is named and not sent.
 */
export function contentOf(content: unknown, path: string): unknown {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) {
    throw new ServiceError('invalid_value', `Invalid value for '${path}': expected string or array.`, { param: path })
  }
  if (content.length > MESSAGE_PARTS_MAX) {
    const message = `Invalid value for '${path}': expected at most ${MESSAGE_PARTS_MAX} items.`
    throw new ServiceError('invalid_value', message, { param: path })
  }
  return content.map((part: unknown, index) => {
    const at = `${path}.${index}`
    const fields = recordOf(part)
    const translate = ownMember(parts, requireText(fields, 'type', at))
    if (translate === undefined) throw unsupported(`${at}.type`)
    return { ...translate(fields, at), ...pickFields(fields, { cache_control: 'cache_control' }) }
  })
}
