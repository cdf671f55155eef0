import { countCharacters, endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { IdempotentRun } from '../../../admission/idempotency/idempotency.ts'
import { parseSpeech, type SpeechCall } from '../parse-speech.ts'
import { eventReader } from '../audio-events.ts'
import type { AudioReader } from '../audio-reader.ts'
import { speakText } from '../speak-text.ts'
import type { Caller } from '../../../access/keys/caller.ts'
import { beginIdempotent, storeStream } from '../../../edge/idempotent-response.ts'
import type { SpeechRoutesDeps } from '../speech-routes-deps.ts'
import { storeSpeech } from '../store-speech.ts'
import { paidTask } from '../../../edge/paid-task.ts'
import { readJsonBody } from '../../../edge/read-json-body.ts'
import { admitCaller, type RouteCall } from '../../../edge/route.ts'
import { audioReader } from '../audio-writer.ts'
import { streamReader } from '../../../edge/stream-reader.ts'
import { asStream } from '../../../edge/stream-slot.ts'

/** Longest body, in bytes: far more than the longest text. Source: decision 0012 (limits of a request). */
const BODY_BYTES_MAX = 1_048_576

interface AdmittedSpeech {
  readonly caller: Caller
  readonly speech: SpeechCall
  readonly run: IdempotentRun | null
}

function answerAudio(deps: SpeechRoutesDeps, call: RouteCall, { caller, speech, run }: AdmittedSpeech): Promise<void> {
  const { request } = speech
  const speak = (reader: AudioReader) =>
    asStream(deps, caller, () => speakText(deps.audio, paidTask(deps, call, caller, speech), reader))
  if (request.stream_format !== 'sse') return storeSpeech(deps, audioReader(call), run, speak)
  const characters = countCharacters(request.input)
  return storeStream(deps, streamReader(deps, call), run, (reader) => speak(eventReader(reader, characters)))
}

/** POST /v1/audio/speech. The key is checked before the body is read. Source: spec 2.6, 4. */
export function v1AudioSpeech(app: FastifyInstance, deps: SpeechRoutesDeps): void {
  const endpoint = endpoints.createSpeech
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const admitted = await admitCaller(deps, call, endpoint, 'cached')
    const paid = { caller: admitted, endpoint, type: 'speech', bytesMax: BODY_BYTES_MAX } as const
    const { caller, body, release } = await readJsonBody(deps, call, paid)
    try {
      const speech = parseSpeech(body)
      request.facts.model = speech.request.model
      const once = await beginIdempotent(deps, call, { caller, endpoint, body })
      if (once.kind === 'replay') return once.body
      return await answerAudio(deps, call, { caller, speech, run: once.run })
    } finally {
      release()
    }
  })
}
