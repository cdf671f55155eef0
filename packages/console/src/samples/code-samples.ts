/** A first request in each language, with the key and the address filled in. */
import type { ModelEntry } from '@svc/contract'
import { type CodePlace, type Sample } from './code-parts.ts'
import {
  chatCode,
  embeddingCode,
  imageCode,
  moderationCode,
  rerankCode,
  speechCode,
  transcriptionCode,
} from './request-code.ts'
import { videoCode } from './video-code.ts'

export interface SampleParts extends CodePlace {
  readonly model: string
}

export type SampleKind = ModelEntry['svc']['type']

export const SAMPLE_PROMPT = 'Say hello in five words.'
const SCENE = 'A paper boat on a river at dawn.'

/** The client is run from the sources: see docs/cli.md. */
const SVC = "in a checkout of the gateway: alias svc='npm run --silent svc --'"

function svc({ baseUrl, key }: SampleParts, command: string): Sample {
  const code = `export SVC_BASE_URL=${baseUrl.replace(/\/v1$/, '')}
export SVC_API_KEY=${key}
${command}`
  return { name: 'svc', install: SVC, code }
}

/** A request to a model in each language that has a client for its kind. */
export function samplesFor(kind: SampleKind, parts: SampleParts): readonly Sample[] {
  const { model } = parts
  switch (kind) {
    case 'text': {
      const messages = [{ role: 'user', content: SAMPLE_PROMPT }]
      return [...chatCode(parts, { model, messages }), svc(parts, `svc chat --model ${model} "${SAMPLE_PROMPT}"`)]
    }
    case 'image':
      return [
        ...imageCode(parts, { model, prompt: SCENE }, 0),
        svc(parts, `svc image "${SCENE}" --model ${model} -o boat.png`),
      ]
    case 'video':
      return [
        ...videoCode(parts, { model, prompt: SCENE }),
        svc(parts, `svc video "${SCENE}" --model ${model} -o boat.mp4`),
      ]
    case 'speech':
      return [
        ...speechCode(parts, { model, input: SCENE, voice: 'alloy' }),
        svc(parts, `svc speak "${SCENE}" --model ${model} -o boat.mp3`),
      ]
    case 'transcription':
      return [...transcriptionCode(parts, { model }), svc(parts, `svc transcribe speech.mp3 --model ${model}`)]
    case 'embedding':
      return embeddingCode(parts, { model, input: SCENE })
    case 'moderation':
      return moderationCode(parts, { model, input: SCENE })
    case 'rerank':
      return rerankCode(parts, { model, query: 'boats', documents: [SCENE, 'A dry riverbed.'] })
  }
}
