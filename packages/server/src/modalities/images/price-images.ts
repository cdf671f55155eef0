/** The price of the images that came. */
import type { AskCost } from '../../pipeline/late-cost.ts'
import type { Paid, Priced } from '../../pipeline/paid-work.ts'
import type { Bill } from '../../upstreams/bill.ts'
import type { UpstreamImages } from '../../upstreams/image-upstream.ts'
import { upstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Target } from '../../pipeline/routing/target.ts'
import { attoUsdOf } from '../../pricing/usd.ts'
import type { ImageCall } from './image-call.ts'
import { chargeImages, shareOfCost, tokensOfImages } from './image-charge.ts'
import type { ImageTarget } from './image-target.ts'
import type { MadeRenders } from './make-renders.ts'

/** Images that came and what they cost: all of a `Priced` but how it is written. */
export interface PricedImages extends Omit<Priced<never>, 'render'> {
  /** With the costs that were learnt late. */
  readonly answers: readonly UpstreamImages[]
}

/**
 * Prices what came. What calls cost beyond the images that came is our loss.
 *
 * @throws {ServiceError} why there is no image.
 */
export async function priceImages(
  askCost: AskCost,
  { hold, target }: Paid<ImageTarget>,
  call: ImageCall,
  made: MadeRenders,
): Promise<PricedImages> {
  const came = made.answers.filter(({ renders }) => renders.length > 0)
  if (came.length === 0) throw made.failures[0] ?? upstreamFailure('empty', { upstream: target.upstream.name })
  const answers = await Promise.all(came.map((answer) => completeCost(askCost, answer)))
  const { charge, estimated } = chargeImages(target, call, answers)
  for (const [place, answer] of answers.entries()) deliver(hold.bill, target, came[place] ?? answer, answer)
  return {
    ...{ answers, charge, estimated, tokens: tokensOfImages(answers) },
    ...{ status: 'ok', errorCode: null, failure: null, generationId: answers[0]?.generationId ?? null },
  }
}

async function completeCost(askCost: AskCost, answer: UpstreamImages): Promise<UpstreamImages> {
  const { cost, generationId } = answer
  if (cost !== null || generationId === null) return answer
  return { ...answer, cost: (await askCost(generationId))?.cost ?? null }
}

/** @param came the answer as the bill knows it. @param answer the same with its cost, where that was learnt late. */
function deliver(bill: Bill, { upstream }: Target, came: UpstreamImages, answer: UpstreamImages): void {
  const { cost, generationId } = answer
  bill.deliver(came, shareOfCost(came))
  const beside = came.cost === null && cost !== null ? cost - (shareOfCost(answer) ?? 0n) : 0n
  if (beside > 0n) bill.note({ cost: attoUsdOf(beside), generationId }, upstream)
}
