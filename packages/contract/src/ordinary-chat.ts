/** The quick look at a chat request: what most of them are, found without the schema. */
import { CHOICES_MAX, type ChatRequest, chatRoles, MESSAGES_MAX, MODEL_CHARACTERS_MAX } from './chat.ts'

/** Fields of the schema whose contents have rules of their own: a request that has one goes through the schema. */
const ruledFields = ['stop', 'tools', 'metadata', 'user'] as const
const roles: ReadonlySet<unknown> = new Set(chatRoles)

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLimit(value: unknown, most: number): boolean {
  return (
    value === undefined || value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most)
  )
}

function isFlag(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean'
}

function isPlainMessage(message: unknown): boolean {
  return isRecord(message) && roles.has(message['role']) && typeof message['content'] === 'string'
}

/**
 * Whether a body is a chat request that the schema accepts as it is: text messages, a few plain fields, and whatever
 * the schema does not know. It spares most requests the schema's walk; false says nothing but that the schema decides.
 *
 * @param body parsed JSON.
 */
export function isOrdinaryChat(body: Readonly<Record<string, unknown>>): body is ChatRequest {
  const { model, messages } = body
  if (typeof model !== 'string' || model === '' || model.length > MODEL_CHARACTERS_MAX) return false
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MESSAGES_MAX) return false
  for (const field of ruledFields) if (body[field] !== undefined && body[field] !== null) return false
  const options = body['stream_options'] ?? {}
  return (
    isFlag(body['stream']) &&
    isRecord(options) &&
    isFlag(options['include_usage']) &&
    isLimit(body['max_tokens'], Number.MAX_VALUE) &&
    isLimit(body['max_completion_tokens'], Number.MAX_VALUE) &&
    isLimit(body['n'], CHOICES_MAX) &&
    messages.every(isPlainMessage)
  )
}
