/** Invoices as CSV files: any size, exact amounts, and every mistake named by its line. */
import { expect, test } from 'vitest'
import { formatUsd } from '../../pricing/usd.ts'
import { type InvoiceForm, parseInvoiceTime, readInvoice } from './read-invoice.ts'

const UTC: InvoiceForm = { headers: new Map(), offsetMinutes: 0 }

/** The text in pieces of so many bytes, so that quotes, line ends and characters are cut anywhere. */
async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string, form: InvoiceForm = UTC, size = 7): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { generationId, cost, at, model } of readInvoice(inPieces(text, size), form)) {
    const time = at === null ? 'never' : new Date(at).toISOString()
    lines.push([generationId, formatUsd(cost), time, model ?? '-'].join(' '))
  }
  return lines
}

test.each([1, 2, 3, 1_000])('a file in pieces of %i bytes', async (size) => {
  const text =
    '\u{FEFF}Note,cost_usd,generation_id,created_at,model\r\n' +
    '"a ""quoted"", and\nbroken note é",0.000013500000000000001,gen-1,2026-03-31T23:59:59.123456+00:00,openai/gpt\r\n' +
    '\r\n' +
    ',1.5e-05,gen-2,2026-03-31 23:59:59,\r\n' +
    'sum of all,0.3,,,\r\n' +
    ',$0.30000000000000004,gen-3,,"x,y"'
  expect(await read(text, UTC, size)).toEqual([
    'gen-1 0.000013500000000001 2026-03-31T23:59:59.123Z openai/gpt',
    'gen-2 0.000015 2026-03-31T23:59:59.000Z -',
    'gen-3 0.30000000000000004 never x,y',
  ])
})

test('columns are named by their headers, cells may be separated by semicolons', async () => {
  const headers = new Map([
    ['generation_id', 'Request ID'],
    ['cost_usd', 'Total'],
  ] as const)
  const text = 'Total;request id;created_at\n0.5;a;2026-04-01 01:30:00\n'
  expect(await read(text, { headers, offsetMinutes: 120 })).toEqual(['a 0.5 2026-03-31T23:30:00.000Z -'])
})

test.each([
  ['', 'Line 1: the file is empty'],
  ['id,cost_usd\n', 'Line 1: there is no column generation_id; there are id, cost_usd'],
  ['generation_id,cost_usd\na,0,5\nb,x\n', 'Line 3: cost_usd is not a decimal such as 0.0125, from 0 to a million'],
  ['generation_id,cost_usd\na,-1\n', 'Line 2: cost_usd is not a decimal such as 0.0125, from 0 to a million'],
  ['generation_id,cost_usd,created_at\na,1,yesterday\n', 'Line 2: created_at is no time such as 2026-03-31T23:59:59Z'],
  ['generation_id,cost_usd\n\n"a,1\n', 'Line 3: a quote is never closed'],
  ['generation_id,cost_usd\n"a"b,1\n', 'Line 2: text follows a closing quote'],
  [`generation_id,cost_usd\n${'a'.repeat(201)},1\n`, 'Line 2: generation_id is longer than 200'],
  [`generation_id,cost_usd\n${'a'.repeat(70_000)},1\n`, 'Line 2: a cell has more than 65536 characters'],
])('%j is refused with its line', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})

test('a file that is not UTF-8 is refused', async () => {
  const lines = readInvoice(
    (async function* () {
      yield Uint8Array.of(0x67, 0xff, 0x2c)
    })(),
    UTC,
  )
  await expect(lines.next()).rejects.toThrow('not UTF-8')
})

test.each([
  ['2026-03-31', 0, '2026-03-31T00:00:00.000Z'],
  ['2026-03-31T23:59', 0, '2026-03-31T23:59:00.000Z'],
  ['2026-03-31 20:00:00 -0400', 60, '2026-04-01T00:00:00.000Z'],
  ['2026-03-31 20:00:00-04', 60, '2026-04-01T00:00:00.000Z'],
  ['2026-03-31 20:00:00 UTC', 60, '2026-03-31T20:00:00.000Z'],
  ['1774999999', 0, '2026-03-31T23:33:19.000Z'],
  ['1774999999.5', 0, '2026-03-31T23:33:19.500Z'],
  ['1774999999123', 0, '2026-03-31T23:33:19.123Z'],
  ['2026-02-30', 0, null],
  ['31.03.2026', 0, null],
])('%s at an offset of %i minutes is %s', (text, offset, time) => {
  const ms = parseInvoiceTime(text, offset)
  expect(ms === null ? null : new Date(ms).toISOString()).toBe(time)
})
