import { countCharacters, endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseSpeech, type SpeechCall } from '../../inference/parse-speech.ts'
import { eventReader } from '../../inference/sound-events.ts'
import type { SoundReader } from '../../inference/sound-reader.ts'
import { speakText } from '../../inference/speak-text.ts'
import type { EdgeDeps } from '../edge.ts'
import { readJsonBody } from '../read-json-body.ts'
import { admitCaller, type RouteCall } from '../route.ts'
import { soundReader } from '../sound-writer.ts'
import { streamReader } from '../stream-reader.ts'

/** Longest body, in bytes: far more than the longest text. Source: decision 0012 (limits of a request). */
const BODY_BYTES_MAX = 1_048_576

function readerOf(deps: EdgeDeps, call: RouteCall, { request }: SpeechCall): SoundReader {
  if (request.stream_format !== 'sse') return soundReader(call)
  return eventReader(streamReader(deps, call), countCharacters(request.input))
}

/** POST /v1/audio/speech. The key is checked before the body is read. Source: spec 2.6, 4. */
export function v1AudioSpeech(app: FastifyInstance, deps: EdgeDeps): void {
  const endpoint = endpoints.createSpeech
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const caller = await admitCaller(deps, call, endpoint, 'cached')
    const { body, release } = await readJsonBody(deps, call, { caller, type: 'speech', bytesMax: BODY_BYTES_MAX })
    try {
      const speech = parseSpeech(body)
      request.facts.model = speech.request.model
      const giveBack = deps.limits.streams.take(caller.keyId)
      try {
        const task = { caller, call: speech, requestId: request.id }
        await speakText(deps.audio, task, readerOf(deps, call, speech))
      } finally {
        giveBack()
      }
    } finally {
      release()
    }
  })
}
