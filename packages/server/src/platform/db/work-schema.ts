/** The tables of work that goes on after its request, and of what is kept for later ones, as both engines have them. */
import type { BatchState } from '@svc/contract'

/** A video that is being made or was made. Prompts are not stored. */
export interface VideoJobTable {
  job_id: string
  /** The hold that the job owns: one hold, one job. */
  hold_id: string
  account_id: string
  key_id: string
  model: string
  upstream: string
  upstream_model: string
  upstream_job_id: string
  state: 'queued' | 'in_progress' | 'completed' | 'failed'
  progress: number
  seconds: number
  size: string | null
  /** JSON text: the price at the submission, which is the price at the end. */
  price: string
  estimate_amount: bigint
  created_at: number
  next_step_at: number | null
  failures: number
  ended_at: number | null
  error_code: string | null
  /** Decimal text: what the upstream said that the job has cost. */
  cost_usd: string | null
  outputs: number | null
  settled_at: number | null
  charge: bigint | null
  file_missed_at: number | null
  first_read_at: number | null
  /** JSON text: names of the files that the gateway keeps. */
  files: string | null
  deleted_at: number | null
}

/** A team that has its responses stored. */
export interface ResponseStorageTable {
  team_id: string
  created_at: number
}

/** A response that its team has asked to keep. */
export interface StoredResponseTable {
  team_id: string
  response_id: string
  /** What was asked and answered, sealed. */
  sealed: string
  /** Of `sealed`. */
  length: number
  created_at: number
  expires_at: number
}

/** A request that carries an Idempotency-Key. Forgotten after a day. */
export interface IdempotentRequestTable {
  /** A key, or a person who is signed in to the console. */
  caller_id: string
  /** SHA-256 of endpoint and Idempotency-Key, as hex. */
  name_hash: string
  body_hash: string
  /** The request that is worked on under this name. */
  request_id: string
  process_id: string
  /** `unkept` was answered and charged, and its answer is not kept. */
  state: 'running' | 'answered' | 'unkept'
  /** Sealed. */
  answer: string | null
  expires_at: number
}

/** A file that a team has uploaded, or that a batch has written for it. Its bytes are elsewhere, sealed. */
export interface StoredFileTable {
  file_id: string
  account_id: string
  purpose: 'batch' | 'batch_output'
  filename: string
  /** Of the content, before it was sealed. */
  bytes: number
  /** Where the bytes are. */
  media_name: string
  created_at: number
  expires_at: number
}

/** The requests of a file, made beside the requests of others. */
export interface BatchTable {
  batch_id: string
  account_id: string
  /** Pays for each line, as far as it still can. */
  key_id: string
  endpoint: string
  input_file_id: string
  /** JSON text. */
  metadata: string | null
  /** How much of the rate card is charged; as it was when the batch was made. */
  card_percent: number
  /** The most credits that each line may cost, as decimal text; null for what it costs. */
  line_most: string | null
  /** How long its files are kept; null for as long as usual. */
  output_seconds: number | null
  state: BatchState
  lines_total: number
  lines_completed: number
  lines_failed: number
  /** Where the file is read on. */
  next_line: number
  next_offset: number
  /** Length of the results that are kept until the end. */
  kept_bytes: number
  /** JSON text: what is wrong with the file. */
  errors: string | null
  output_file_id: string | null
  error_file_id: string | null
  created_at: number
  expires_at: number
  started_at: number | null
  finalizing_at: number | null
  cancelling_at: number | null
  ended_at: number | null
  /** The process that works on it until `next_step_at`. */
  owner: string | null
  next_step_at: number | null
}

/** A line of a batch that was begun, until the batch has ended. */
export interface BatchLineTable {
  batch_id: string
  line: number
  /** Where its text is in the file, in bytes. */
  start_at: number
  byte_length: number
  /** Who works on it now. */
  request_id: string
  process_id: string
  attempts: number
  state: 'running' | 'completed' | 'failed'
  /** The line of the output or error file, sealed; it is there before the line is charged. */
  result: string | null
}
