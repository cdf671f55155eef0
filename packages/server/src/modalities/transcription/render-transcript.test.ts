import { endpoints } from '@svc/contract'
import { expect, test } from 'vitest'
import { renderTranscript } from './render-transcript.ts'

const svc =
  '{"credits_charged":0.1,"margin_bps":2000,"estimated":false,"state":"charged","upstream":"x","request_id":"r"}'
const facts = { task: 'transcribe', duration: 3, chargedSeconds: 3, svc } as const

test.each(['verbose_json', 'diarized_json'] as const)('%s keeps its form whatever an upstream sends', (format) => {
  const segments = [
    { id: 1.5, seek: '', tokens: ['a'], temperature: null, start: 'x', end: 1, text: 7, speaker: 'A' },
    { id: '', seek: 3, tokens: [1], avg_logprob: -0.5, start: 0, end: 1, text: 'Hello.' },
    1e300,
    null,
  ]
  const transcript = { text: 'Hello.', seconds: 3, value: { segments } } as unknown as Parameters<
    typeof renderTranscript
  >[0]
  const told = JSON.parse(renderTranscript(transcript, format, facts)) as { segments: Record<string, unknown>[] }
  const wrong = endpoints.createTranscription.reply.json.safeParse(told).error?.issues ?? []
  expect(wrong.filter(({ path }) => path[0] === 'segments')).toEqual([])
  expect(told.segments.map(({ id, seek, text }) => [id, seek, text])).toEqual([
    [0, format === 'verbose_json' ? 0 : undefined, ''],
    [1, 3, 'Hello.'],
  ])
  expect(told.segments[0]?.['speaker']).toBe('A')
})
