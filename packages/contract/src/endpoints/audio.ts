import { speechEvent, speechRequest } from '../speech.ts'
import { transcript, transcriptEvent, transcriptionForm, translationForm } from '../transcription.ts'
import { type EndpointTable, paidErrors } from './endpoint.ts'

const SUBTITLES = {
  types: ['text/plain', 'application/x-subrip', 'text/vtt'],
  description: 'With `response_format` text, srt or vtt. The charge is in the headers.',
}

export const audioEndpoints = {
  createSpeech: {
    id: 'createSpeech',
    method: 'POST',
    path: '/v1/audio/speech',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    tag: 'Audio',
    summary: 'Speak a text',
    description:
      'Charged by the character of `input`, or by the byte where the model is sold so. The charge is known before ' +
      'the first byte and is in the headers. Other fields go to the upstream unchanged, except those that change ' +
      'price, model or route.',
    request: { body: speechRequest },
    reply: {
      description: 'The audio as it is made, or with `stream_format: "sse"` server-sent events.',
      event: speechEvent,
      bytes: {
        types: ['audio/mpeg', 'audio/opus', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm'],
        description: 'As `response_format` asks. `audio/pcm` is 16-bit little-endian, its rate in the content type.',
      },
    },
    errors: ['invalid_json', 'unsupported_format', ...paidErrors],
    rateClass: 'keyed',
  },
  createTranscription: {
    id: 'createTranscription',
    method: 'POST',
    path: '/v1/audio/transcriptions',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    isEstimated: true,
    tag: 'Audio',
    summary: 'Write down what is said',
    description:
      'A flat charge by the length of the audio, known before the model is asked: seconds as the file tells them, or ' +
      'estimated from its bytes where it does not say. Fields may be in any order.',
    request: { form: transcriptionForm },
    reply: {
      description: 'The transcript, or with `stream` server-sent events.',
      json: transcript,
      event: transcriptEvent,
      bytes: SUBTITLES,
    },
    errors: ['invalid_form', 'unsupported_format', ...paidErrors],
    rateClass: 'keyed',
  },
  createTranslation: {
    id: 'createTranslation',
    method: 'POST',
    path: '/v1/audio/translations',
    auth: 'key',
    right: 'inference',
    isPaid: true,
    isCharged: true,
    isIdempotent: true,
    isEstimated: true,
    tag: 'Audio',
    summary: 'Write down in English what is said',
    description: 'As a transcription, for models that translate.',
    request: { form: translationForm },
    reply: { description: 'The translation.', json: transcript, bytes: SUBTITLES },
    errors: ['invalid_form', 'unsupported_format', ...paidErrors],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'createSpeech' | 'createTranscription' | 'createTranslation'>
