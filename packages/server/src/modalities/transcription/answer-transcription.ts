import { type Endpoint, AUDIO_BYTES_MAX } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { IdempotentRun } from '../../admission/idempotency/idempotency.ts'
import { parseTranscription, type TranscriptionCall } from './parse-transcription.ts'
import { streamTranscript } from './stream-transcript.ts'
import { transcribeAudio } from './transcribe-audio.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { beginIdempotent, storeStream, storeResponse } from '../../edge/idempotent-response.ts'
import { digestSpooled } from '../../edge/digest-form.ts'
import { paidTask } from '../../edge/paid-task.ts'
import type { TranscriptionRoutesDeps } from './transcription-routes-deps.ts'
import { readPaidForm } from '../../edge/read-paid-form.ts'
import { admitCaller, type RouteCall } from '../../edge/route.ts'
import { READER_STALL_MS } from '../../edge/sse-writer.ts'
import { streamReader } from '../../edge/stream-reader.ts'
import { asStream } from '../../edge/stream-slot.ts'
import { setChargeHeaders } from '../../edge/set-charge-headers.ts'

interface Admitted {
  readonly call: RouteCall
  readonly caller: Caller
  readonly transcription: TranscriptionCall
  readonly run: IdempotentRun | null
}

function answerStream(deps: TranscriptionRoutesDeps, { call, caller, transcription, run }: Admitted): Promise<void> {
  return storeStream(deps, streamReader(deps, call), run, (reader) =>
    asStream(deps, caller, () => streamTranscript(deps.audio, paidTask(deps, call, caller, transcription), reader)),
  )
}

function answerWhole(deps: TranscriptionRoutesDeps, { call, caller, transcription, run }: Admitted): Promise<string> {
  const { reply } = call
  return storeResponse(deps, run, async () => {
    const { body, contentType, charged } = await transcribeAudio(
      deps.audio,
      paidTask(deps, call, caller, transcription),
    )
    reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
    // Subtitles and plain text have no other place to say that the charge was an estimate.
    const headers = { ...setChargeHeaders(call, charged), 'x-svc-estimated': 'true' }
    reply.headers({ ...headers, 'content-type': contentType })
    return { contentType, headers, body }
  })
}

/**
 * Mounts an endpoint that writes down audio. The key and the balance are checked before the form is read, whose file
 * goes to the spool; it is gone at every end.
 */
export function mountTranscription(
  app: FastifyInstance,
  deps: TranscriptionRoutesDeps,
  endpoint: Endpoint,
  task: TranscriptionCall['task'],
): void {
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const admitted = await admitCaller(deps, call, endpoint, 'cached')
    const { uploadStallMs } = deps.limits.configured
    const limits = { fileBytesMax: AUDIO_BYTES_MAX, filesMax: 1, stallMs: uploadStallMs }
    const paid = { caller: admitted, endpoint, type: 'transcription' } as const
    const { caller, form } = await readPaidForm(deps, call, paid, limits)
    try {
      const transcription = parseTranscription(form, task)
      request.facts.model = transcription.model
      const once = await beginIdempotent(deps, call, { caller, endpoint, body: () => digestSpooled(form) })
      if (once.kind === 'replay') return once.body
      const { run } = once
      return await (transcription.stream ? answerStream : answerWhole)(deps, { call, caller, transcription, run })
    } finally {
      await form.discard()
    }
  })
}
