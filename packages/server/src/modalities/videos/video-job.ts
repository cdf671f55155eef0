/**
 * Room `videos`: the jobs that make videos, from the submission to the end of their files. A job owns one hold and is
 * charged by it once, whichever process sees its end first. The room knows no prompt after the submission, and no
 * prices but the one that was noted then.
 */
import { randomBytes } from 'node:crypto'
import type { Nanocredits } from '@svc/contract'
import type { AttoUsd } from '../../pricing/price.ts'

/**
 * `queued`, `in_progress`: the upstream has the job. `completed`, `failed`: its verdict was written down; whether it is
 * settled, is another matter.
 */
export type VideoJobState = 'queued' | 'in_progress' | 'completed' | 'failed'

/** Why a job failed, as its error says it. */
export type VideoErrorCode =
  | 'upstream_error'
  | 'content_policy_violation'
  | 'upstream_empty'
  | 'cancelled'
  | 'expired'
  | 'gateway_stopped'

/** A job, as its row remembers it. */
export interface VideoJob {
  /** The upstream that has it. */
  readonly upstream: string
  readonly upstreamModel: string
  readonly seconds: number
  /** Such as `1280x720`; null where neither request nor list say. */
  readonly size: string | null
  /** JSON text of a `VideoPriceSnapshot`. */
  readonly price: string
  readonly jobId: string
  readonly holdId: string
  readonly accountId: string
  /** Of the submitter, who is charged. */
  readonly keyId: string
  /** As the client wrote it. */
  readonly model: string
  /** The upstream's own id of it. */
  readonly upstreamJobId: string
  readonly state: VideoJobState
  /** Percent. */
  readonly progress: number
  /** What is held: of several upstreams the dearest's. */
  readonly estimate: Nanocredits
  readonly createdAt: number
  /** When the job must be polled next, whether a client asks or not; null when there is nothing left to do. */
  readonly nextStepAt: number | null
  /** Looks in a row that failed. */
  readonly failures: number
  /** When the verdict was seen; null before. */
  readonly endedAt: number | null
  readonly errorCode: VideoErrorCode | null
  /** Reported with the verdict, or with a completion without a file; null where it was not. */
  readonly cost: AttoUsd | null
  /** Files that a completed job has. */
  readonly outputs: number
  readonly settledAt: number | null
  /** What was charged; null until it is settled. */
  readonly charge: Nanocredits | null
  /**
   * When the upstream first called the job completed and its file was not there; null where that never was, or where
   * the upstream has said since that it works on it.
   */
  readonly fileMissedAt: number | null
  /** When a caller first read the completed job. */
  readonly firstReadAt: number | null
  /** Names of the files that the gateway keeps, by output; null while it keeps none. */
  readonly files: readonly string[] | null
  /** A deleted job is shown to no client; its row stays for the books. */
  readonly deletedAt: number | null
}

/** Whether there is a verdict. */
export function hasEnded({ state }: Pick<VideoJob, 'state'>): boolean {
  return state === 'completed' || state === 'failed'
}

const RANDOM_BYTES = 16

/**
 * Makes an id that cannot be guessed. It begins with its time, so that order by id is order by time to the millisecond.
 */
export function createVideoJobId(nowMs: number): string {
  return `vid_${nowMs.toString(16).padStart(12, '0')}${randomBytes(RANDOM_BYTES).toString('hex')}`
}
