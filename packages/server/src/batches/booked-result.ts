import { creditsJson, type Nanocredits, parseJsonToPrint, usdJson } from '@svc/contract'
import { recordOf } from '../forms/translated-chat.ts'

/**
 * The result of a line that was kept before it was charged, with what the books have taken: less than was asked for
 * where the account could not pay all. Every form of an answer has its charge in `svc`; where its usage has a cost,
 * that is the same in USD.
 */
export function asBooked(text: string, charge: Nanocredits): string {
  const line = recordOf(parseJsonToPrint(text))
  const response = recordOf(line['response'])
  const body = recordOf(response['body'])
  const [svc, usage] = [recordOf(body['svc']), recordOf(body['usage'])]
  const booked = creditsJson(charge)
  if (!('credits_charged' in svc) || JSON.stringify(svc['credits_charged']) === JSON.stringify(booked)) return text
  const cost = 'cost' in usage ? { usage: { ...usage, cost: usdJson(charge) } } : {}
  const corrected = { ...body, ...cost, svc: { ...svc, credits_charged: booked } }
  return JSON.stringify({ ...line, response: { ...response, body: corrected } })
}
