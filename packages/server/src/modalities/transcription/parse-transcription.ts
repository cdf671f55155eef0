/** From the fields of a form to a transcription request. */
import { timestampGranularities, transcriptFormats, type TranscriptFormat, transcriptionFields } from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { SpooledFile } from '../../platform/spool/spooled-file.ts'
import type { TranscriptionTask } from '../../upstreams/transcription-upstream.ts'
import { formFlag } from '../../edge/form-flag.ts'
import { SpellingCheck } from '../../pipeline/json-call.ts'
import { refuseBeyond } from '../../pipeline/within-bound.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'

/** A form as it was read. */
export interface AudioForm {
  readonly fields: readonly { readonly name: string; readonly value: string }[]
  readonly files: readonly {
    readonly name: string
    readonly filename: string | null
    readonly contentType: string | null
    readonly content: SpooledFile
  }[]
}

/** A transcription without its file. */
export interface TranscriptionFields {
  readonly task: TranscriptionTask
  readonly model: string
  readonly format: TranscriptFormat
  readonly stream: boolean
  /** Further fields for the upstream, in the client's order and words. */
  readonly passed: AudioForm['fields']
}

export interface TranscriptionCall extends TranscriptionFields {
  readonly file: AudioForm['files'][number]
}

const GRANULARITIES = 'timestamp_granularities'

const readFields = [...Object.keys(transcriptionFields.shape), 'file', GRANULARITIES, `${GRANULARITIES}[]`]
const spellings = new SpellingCheck(readFields)
const guard = new WorkGuard('transcription', readFields)

/** Fields that the gateway writes itself. */
const ownFields: ReadonlySet<string> = new Set(['model', 'response_format', 'stream'])

/** A list has brackets at the end of its name, or is one of these. */
const listFields: ReadonlySet<string> = new Set([GRANULARITIES, 'include', 'languages', 'keywords'])

function isList(name: string): boolean {
  return name.endsWith('[]') || listFields.has(name)
}

/** The fields that may appear once, by name. An empty one counts as absent. */
function singleFields(fields: AudioForm['fields']): Record<string, string> {
  const values = new Map<string, string>()
  for (const { name, value } of fields) {
    if (isList(name)) continue
    if (values.has(name)) {
      throw new ServiceError('invalid_value', `The field '${name.slice(0, 64)}' appears twice in the form.`, {
        param: name.slice(0, 64),
      })
    }
    values.set(name, name === 'stream' ? formFlag(value) : value)
  }
  return Object.fromEntries([...values].filter(([, value]) => value !== ''))
}

function findFile(form: AudioForm): TranscriptionCall['file'] {
  const [file] = form.files
  if (file !== undefined && file.name !== 'file') {
    throw new ServiceError('invalid_value', "The audio must be in the field 'file'.", { param: file.name })
  }
  if (file === undefined || file.content.byteLength === 0) {
    const message = file === undefined ? 'The form has no file.' : 'The file is empty.'
    throw new ServiceError('empty_content', `${message} You were not charged.`, { param: 'file' })
  }
  return file
}

function checkGranularities(fields: AudioForm['fields'], format: TranscriptFormat): void {
  const given = fields.filter(({ name }) => name === GRANULARITIES || name === `${GRANULARITIES}[]`)
  for (const { value } of given) {
    if (timestampGranularities.some((known) => known === value)) continue
    const known = timestampGranularities.map((name) => `'${name}'`).join(', ')
    throw new ServiceError('invalid_value', `Invalid value for '${GRANULARITIES}': expected one of ${known}.`, {
      param: GRANULARITIES,
    })
  }
  if (given.length > 0 && format !== 'verbose_json') {
    const message = `Unsupported parameter: '${GRANULARITIES}' needs the response_format verbose_json.`
    throw new ServiceError('unsupported_parameter', message, { param: GRANULARITIES })
  }
}

/** Formats that can come piece by piece. */
const streamedFormats: ReadonlySet<TranscriptFormat> = new Set(['json', 'diarized_json'])

function checkStream(task: TranscriptionTask, format: TranscriptFormat): void {
  if (task === 'translate') {
    throw new ServiceError('unsupported_parameter', "Unsupported parameter: translations do not take 'stream'.", {
      param: 'stream',
    })
  }
  if (streamedFormats.has(format)) return
  throw new ServiceError('unsupported_format', 'A stream is in the format json or diarized_json.', {
    param: 'response_format',
  })
}

/**
 * Reads the fields of a transcription request. What the gateway does not read goes on unchecked.
 *
 * @throws {ServiceError} 400: a doubled field, one of a wrong value, or one that we do not pass on.
 */
export function parseTranscriptionFields(fields: AudioForm['fields'], task: TranscriptionTask): TranscriptionFields {
  const request = parseBySchema(transcriptionFields, singleFields(fields))
  spellings.refuse(fields.map(({ name }) => name))
  const format = request.response_format ?? transcriptFormats[0]
  const stream = request.stream === 'true'
  checkGranularities(fields, format)
  if (stream) checkStream(task, format)
  const passed = fields.filter(({ name, value }) => !ownFields.has(name) && value !== '')
  return { task, model: request.model, format, stream, passed }
}

/**
 * Reads a transcription request.
 *
 * @throws {ServiceError} 400 as `parseTranscriptionFields`, or for no audio.
 */
export function parseTranscription(form: AudioForm, task: TranscriptionTask): TranscriptionCall {
  const read = parseTranscriptionFields(form.fields, task)
  const file = findFile(form)
  // Words of an audio file have at most as many tokens as it has bytes.
  refuseBeyond(guard.readForm(singleFields(form.fields)), { tokens: file.content.byteLength, answers: 1 })
  return { ...read, file }
}
