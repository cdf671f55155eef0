import { formatCredits } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { listMediaCost, type MediaLine } from '@svc/contract/media-cost'
import { chargeMedia } from './charge-media.ts'
import { formatUsd, parseUsd, ZERO_USD } from './usd.ts'

const usd = (text: string) => parseUsd(text) ?? ZERO_USD
const images = (quantity: number, perUnit: string): MediaLine => ({ unit: 'images', quantity, perUnit: usd(perUnit) })

describe('the charge of media', () => {
  // Case B021: cost × 1.2 × 1,000, and the margin once.
  test('is the reported cost plus the margin', () => {
    const charge = chargeMedia({ lines: [images(1, '0.04')], reportedCost: usd('0.01') })
    expect(formatCredits(charge.charge)).toBe('12')
    expect(charge).toMatchObject({ basis: 'cost', cost: 10_000_000_000n })
    expect(JSON.parse(charge.pricing)).toEqual({
      basis: 'cost',
      units: { images: 1 },
      cost_usd: '0.01',
      margin_bps: 2_000,
    })
  })

  // Case B092: a render without usage or cost is not free.
  test('is the list price plus the margin where no cost is reported', () => {
    const charge = chargeMedia({
      lines: [images(2, '0.04'), { unit: 'input_images', quantity: 1, perUnit: usd('0.003') }],
      reportedCost: null,
      variant: { quality: 'high' },
    })
    expect(formatCredits(charge.charge)).toBe('99.6')
    expect(charge.basis).toBe('list')
    expect(JSON.parse(charge.pricing)).toEqual({
      basis: 'list',
      units: { images: 2, input_images: 1 },
      variant: { quality: 'high' },
      usd_per_unit: { images: '0.04', input_images: '0.003' },
      cost_usd: '0.083',
      margin_bps: 2_000,
    })
  })

  test('keeps thousandths of a second, and says that a length was estimated', () => {
    const charge = chargeMedia({
      lines: [{ unit: 'seconds', quantity: 9.2, perUnit: usd('0.0001') }],
      reportedCost: null,
      estimated: true,
    })
    expect(formatCredits(charge.charge)).toBe('1.104')
    expect(charge.basis).toBe('estimate')
    expect(JSON.parse(charge.pricing)).toMatchObject({ basis: 'list', estimated: true, units: { seconds: 9.2 } })
  })

  test('is at least the minimum of the list', () => {
    expect(formatUsd(listMediaCost([images(1, '0.01')], usd('0.05')))).toBe('0.05')
    expect(formatUsd(listMediaCost([images(10, '0.01')], usd('0.05')))).toBe('0.1')
  })

  test.each([Number.NaN, -1, 0])('counts a quantity of %d as nothing', (quantity) => {
    expect(listMediaCost([images(quantity, '1')])).toBe(0n)
  })

  test('rounds once, up, and never by a float', () => {
    const lines = [{ unit: 'seconds', quantity: 0.1, perUnit: usd('0.000030833334') }] as const
    expect(formatUsd(listMediaCost(lines))).toBe('0.0000030833334')
    expect(formatCredits(chargeMedia({ lines, reportedCost: null }).charge)).toBe('0.003700001')
  })
})
