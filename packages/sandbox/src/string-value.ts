import { ownMember } from '@svc/contract'
import { textForPattern } from './pattern-text.ts'
import type { JsonSchema } from './merge-schemas.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Longest text that a schema can ask for. */
const LENGTH_MAX = 10_000

const words = [
  'amber',
  'birch',
  'cloud',
  'delta',
  'ember',
  'fjord',
  'grove',
  'harbor',
  'island',
  'juniper',
  'lantern',
  'meadow',
]

/** Values that read well, by what a property is called. */
const byName: Readonly<Record<string, readonly string[]>> = {
  city: ['Lisbon', 'Oslo', 'Nairobi', 'Kyoto', 'Quito'],
  location: ['Lisbon', 'Oslo', 'Nairobi', 'Kyoto', 'Quito'],
  country: ['Portugal', 'Norway', 'Kenya', 'Japan', 'Ecuador'],
  name: ['Ada', 'Noor', 'Tomás', 'Yuki', 'Wanjiru'],
  title: ['A note from the sandbox', 'Made without a model'],
  description: ['A sample value made by the sandbox.'],
  query: ['how prepaid credits work', 'weather tomorrow'],
  question: ['What does this request cost?'],
  answer: ['This is a sample answer from the sandbox.'],
  language: ['en', 'pt', 'ja'],
  currency: ['USD', 'EUR', 'JPY'],
  unit: ['celsius', 'fahrenheit'],
  color: ['teal', 'amber', 'violet'],
  email: ['ada@example.com'],
  url: ['https://example.com/sandbox'],
  path: ['/sandbox/example.txt'],
  date: ['2026-11-20'],
}

const two = (value: number): string => String(value).padStart(2, '0')

const formats: Readonly<Record<string, (random: SeededRandom) => string>> = {
  date: (random) => `2026-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`,
  time: (random) => `${two(random.integer(0, 23))}:${two(random.integer(0, 59))}:00Z`,
  'date-time': (random) => `2026-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}T12:00:00Z`,
  duration: (random) => `PT${random.integer(1, 90)}M`,
  email: (random) => `${random.pick(words)}@example.com`,
  'idn-email': (random) => `${random.pick(words)}@example.com`,
  hostname: (random) => `${random.pick(words)}.example.com`,
  'idn-hostname': (random) => `${random.pick(words)}.example.com`,
  ipv4: (random) => `192.0.2.${random.integer(1, 254)}`,
  ipv6: (random) => `2001:db8::${random.integer(1, 9_999)}`,
  uri: (random) => `https://example.com/${random.pick(words)}`,
  url: (random) => `https://example.com/${random.pick(words)}`,
  iri: (random) => `https://example.com/${random.pick(words)}`,
  'uri-reference': (random) => `/${random.pick(words)}`,
  'iri-reference': (random) => `/${random.pick(words)}`,
  'uri-template': (random) => `/${random.pick(words)}/{id}`,
  uuid: (random) => uuidFrom(random),
  'json-pointer': (random) => `/${random.pick(words)}`,
  'relative-json-pointer': () => '0',
  regex: () => '^[a-z]+$',
  byte: () => 'c2FuZGJveA==',
  int32: (random) => String(random.integer(0, 100)),
}

/** Makes a text that fits a string schema; where pattern, format and lengths contradict, the first of them wins. */
export function stringForSchema(schema: JsonSchema, name: string, random: SeededRandom): string {
  const minLength = boundOf(schema['minLength'], 0)
  const maxLength = Math.max(minLength, boundOf(schema['maxLength'], LENGTH_MAX))
  const pattern = schema['pattern']
  if (typeof pattern === 'string') {
    const text = textForPattern(pattern, minLength, random)
    if (text !== null) return text
  }
  const format = schema['format']
  const make = ownMember(formats, format)
  return make === undefined ? fit(plainText(name, random), minLength, maxLength, random) : make(random)
}

function plainText(name: string, random: SeededRandom): string {
  const key = name.toLowerCase()
  const known = ownMember(byName, key)
  return known === undefined ? `${random.pick(words)} ${random.pick(words)}` : random.pick(known)
}

/** Lengths are counted in characters, not in UTF-16 units. Source: JSON Schema 2020-12 validation section 6.3. */
function fit(text: string, minLength: number, maxLength: number, random: SeededRandom): string {
  const characters = [...text]
  while (characters.length < minLength) characters.push(' ', ...random.pick(words))
  return characters.slice(0, maxLength).join('')
}

function boundOf(value: unknown, fallback: number): number {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.floor(value), LENGTH_MAX) : fallback
}

function uuidFrom(random: SeededRandom): string {
  const hex = (length: number): string => Array.from({ length }, () => random.integer(0, 15).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
}
