import type { audioEndpoints } from '../endpoints/audio.ts'
import type { ExampleTable } from './example.ts'

const svc = { credits_charged: 1.08, margin_bps: 2_000, estimated: true }
const usage = { type: 'duration', seconds: 9 }

export const audioExamples: ExampleTable<typeof audioEndpoints> = {
  createSpeech: {
    body: { model: 'openrouter/openai/gpt-4o-mini-tts-2025-12-15', input: 'Hello there.', voice: 'nova' },
    events: [
      { type: 'speech.audio.delta', audio: 'SUQzBAAAAAAA' },
      {
        type: 'speech.audio.done',
        usage: { type: 'characters', characters: 12, input_tokens: 0, output_tokens: 0, total_tokens: 0 },
        svc: { credits_charged: 0.2448, margin_bps: 2_000 },
      },
    ],
  },
  createTranscription: {
    reply: {
      task: 'transcribe',
      language: 'english',
      duration: 8.47,
      text: 'The quick brown fox jumps over the lazy dog.',
      segments: [
        {
          id: 0,
          seek: 0,
          start: 0,
          end: 8.47,
          text: 'The quick brown fox jumps over the lazy dog.',
          tokens: [],
          temperature: 0,
          avg_logprob: 0,
          compression_ratio: 0,
          no_speech_prob: 0,
        },
      ],
      usage,
      svc,
    },
    events: [
      { type: 'transcript.text.delta', delta: 'The quick brown fox' },
      {
        type: 'transcript.text.done',
        text: 'The quick brown fox jumps over the lazy dog.',
        usage: { type: 'tokens', input_tokens: 0, output_tokens: 0, total_tokens: 0, seconds: 9 },
        svc,
      },
    ],
  },
  createTranslation: { reply: { text: 'The quick brown fox jumps over the lazy dog.', usage, svc } },
}
