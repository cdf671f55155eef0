import { expect, test } from 'vitest'
import { chooseVoice } from './choose-voice.ts'

const unknown = { voices: [], defaultVoice: null, voiceRequired: false }
const own = { voices: ['anna', 'bert', 'carl'], defaultVoice: null, voiceRequired: true }

test('where the voices are unknown, the request goes on as it is, and alloy is said where it names none', () => {
  expect(chooseVoice(unknown, 'anybody')).toBeNull()
  expect(chooseVoice(unknown, { id: 'voice_1' })).toBeNull()
  expect(chooseVoice(unknown, null)).toBe('alloy')
  expect(chooseVoice({ ...unknown, defaultVoice: 'anna' }, undefined)).toBe('anna')
})

test('a voice of the model is taken, by name or as an object', () => {
  expect(chooseVoice(own, 'bert')).toBe('bert')
  expect(chooseVoice(own, { id: 'carl' })).toBe('carl')
})

test('without a voice a model that needs one says its default, or its first', () => {
  expect(chooseVoice(own, null)).toBe('anna')
  expect(chooseVoice({ ...own, defaultVoice: 'carl' }, null)).toBe('carl')
  expect(chooseVoice({ ...own, voiceRequired: false }, null)).toBeNull()
})

test('each of OpenAI’s names maps to one voice of the model, always the same', () => {
  expect(['alloy', 'ash', 'ballad', 'coral'].map((name) => chooseVoice(own, name))).toEqual([
    'anna',
    'bert',
    'carl',
    'anna',
  ])
})

test('an error names the voices, but not hundreds of them', () => {
  const many = { ...own, voices: Array.from({ length: 50 }, (_, index) => `v${index}`) }
  expect(() => chooseVoice(many, 'nobody')).toThrow(/v0, .* and 30 more/)
})

test('an error names OpenAI’s names too, but not twice where they are the model’s own', () => {
  expect(() => chooseVoice(own, 'nobody')).toThrow(
    "Invalid value for 'voice': expected one of anna, bert, carl, or of alloy, ash, ballad, coral, echo, fable, " +
      'onyx, nova, sage, shimmer, verse, marin, cedar, which map to these.',
  )
  const theirs = { ...own, voices: ['alloy', 'ash'] }
  expect(() => chooseVoice(theirs, 'nobody')).toThrow(/one of alloy, ash, or of ballad, coral, [^.]* to these\.$/)
})
