/** What an answer about a video job says, whichever of the known words it is said in. */
import { ownMember } from '@svc/contract'
import { numberText } from '../../platform/json/json-body.ts'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { parseUsd } from '../../pricing/usd.ts'
import type { VideoFailure, VideoReport } from '../video-upstream.ts'
import { isContentRefusal, isRefusalWord } from '../find-refusal.ts'
import { readCost } from './cost.ts'
import type { Dialect } from './dialect.ts'
import { isObject } from './usage.ts'

const QUEUED = new Set(['queued', 'pending', 'submitted', 'starting', 'in_queue', 'created'])
const RUNNING = new Set(['in_progress', 'processing', 'running', 'rendering'])
const COMPLETED = new Set(['completed', 'succeeded', 'done', 'success'])

const failures: Readonly<Record<string, VideoFailure>> = {
  failed: 'failed',
  fail: 'failed',
  error: 'failed',
  dead: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  aborted: 'cancelled',
  expired: 'expired',
}

/** What an error of a job says where its upstream's rules forbade the video, beside the words that are known. */
const POLICY = /moderation|content_policy|content_filter|safety|policy_violation|prohibited|sensitive/i

/** Longest id of a job that is kept. */
const ID_LENGTH_MAX = 200

/** The upstream's id of a job that it has taken; null when the answer has none. */
export function readJobId(value: unknown): string | null {
  if (!isObject(value)) return null
  const found = value['id'] ?? value['request_id'] ?? value['job_id']
  const id = Number.isSafeInteger(found) ? String(found) : found
  return typeof id === 'string' && id !== '' && id.length <= ID_LENGTH_MAX && /^[\x21-\x7e]+$/.test(id) ? id : null
}

/**
 * Reads what an answer says of a job.
 *
 * @param text the JSON text itself, for the digits of a cost.
 * @returns null when it says nothing that we understand: no verdict.
 */
export function readVideoReport(text: Buffer, dialect: Pick<Dialect, 'reportsCost'>): VideoReport | null {
  const value: unknown = parseJsonText(text)
  if (!isObject(value)) return null
  const word = typeof value['status'] === 'string' ? value['status'].toLowerCase() : ''
  if (QUEUED.has(word)) return { kind: 'running', state: 'queued', progress: progressOf(value) }
  if (RUNNING.has(word)) return { kind: 'running', state: 'in_progress', progress: progressOf(value) }
  const cost = costOf(text, value, dialect)
  const reason = ownMember(failures, word) ?? (isRefusalWord(word) ? 'content_policy' : undefined)
  if (reason !== undefined) return { kind: 'failed', reason: isPolicy(value) ? 'content_policy' : reason, cost }
  if (!COMPLETED.has(word)) return null
  const outputs = countOutputs(value)
  if (outputs > 0) return { kind: 'completed', outputs, cost }
  return { kind: 'failed', reason: isContentRefusal(value) ? 'content_policy' : 'empty', cost }
}

function progressOf({ progress }: Readonly<Record<string, unknown>>): number | null {
  if (typeof progress !== 'number' || !Number.isFinite(progress)) return null
  return Math.min(Math.max(Math.floor(progress), 0), 100)
}

/** Files at most: what upstreams make at once is far below. */
const OUTPUTS_MAX = 10

/** An upstream that lists its files says how many there are; one that does not has made one. */
function countOutputs(value: Readonly<Record<string, unknown>>): number {
  const list = value['unsigned_urls'] ?? value['data'] ?? value['outputs']
  return Array.isArray(list) ? Math.min(list.length, OUTPUTS_MAX) : 1
}

function costOf(
  text: Buffer,
  value: Readonly<Record<string, unknown>>,
  dialect: Pick<Dialect, 'reportsCost'>,
): AttoUsd | null {
  const { usage } = value
  const used = isObject(usage) ? readCost(() => text, { usage, path: ['usage'] }, dialect) : null
  if (used !== null) return used
  const digits = numberText(text, ['cost'])
  const cost = digits === null ? null : parseUsd(digits)
  return cost === 0n && !dialect.reportsCost ? null : cost
}

function isPolicy(value: Readonly<Record<string, unknown>>): boolean {
  const { error } = value
  if (isContentRefusal(value)) return true
  const said = isObject(error) ? [error['code'], error['type'], error['message']] : [error]
  return said.some((text) => typeof text === 'string' && POLICY.test(text))
}

/**
 * Where a report says that a file of the job is: an address, or the file itself as a `data:` address.
 *
 * @returns null where it says nothing of that file.
 */
export function sourceText(value: unknown, index: number): string | null {
  if (!isObject(value)) return null
  const list = value['unsigned_urls'] ?? value['data'] ?? value['outputs']
  const entry: unknown = Array.isArray(list) ? list[index] : index === 0 ? (value['video'] ?? value) : null
  if (typeof entry === 'string') return entry === '' ? null : entry
  if (!isObject(entry)) return null
  const { url, video_url: other, b64_json: bytes } = entry
  const address = [url, other].find((text) => typeof text === 'string' && text !== '')
  if (typeof address === 'string') return address
  return typeof bytes === 'string' && bytes !== '' ? `data:video/mp4;base64,${bytes}` : null
}
