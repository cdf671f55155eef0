/** One upstream that may speak the text of a request. */
import { countCharacters } from '@svc/contract'
import type { SpeechFormat } from '../../platform/audio/speech-format.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { chargeUnits } from '../../pricing/charge-media.ts'
import type { SpeechPrices } from '../../pricing/media-price.ts'
import type { Charge } from '../../pricing/price.ts'
import type { SelectTarget } from '../../pipeline/routing/list-targets.ts'
import type { Target } from '../../pipeline/routing/target.ts'
import type { SpeechUpstream } from '../../upstreams/speech-upstream.ts'
import { chooseVoice } from './choose-voice.ts'
import type { SpeechCall } from './parse-speech.ts'
import { type TextLength, unitsOf } from './speech-bound.ts'

export interface SpeechTarget extends Target {
  readonly port: SpeechUpstream
  readonly prices: SpeechPrices
  /** By the name that this upstream has for it; null leaves it to the upstream. */
  readonly voice: string | null
  /** Characters or bytes of the text. */
  readonly units: number
  /** Of the whole text. */
  readonly charge: Charge
}

/** The targets of a speech request: those that speak, in the format and with the voice that are asked for. */
export function speechTarget({ request }: SpeechCall, format: SpeechFormat): SelectTarget<SpeechTarget> {
  return ({ upstream, upstreamModel, media }) => {
    if (media?.type !== 'speech') return null
    const { speech: port } = upstream
    if (port === null) {
      throw new ServiceError('invalid_value', 'This model does not support speech.', { param: 'model' })
    }
    refuseFormat(format, port.formats)
    const voice = chooseVoice(media.facts, request.voice)
    const { prices } = media
    const units = unitsOf(prices, lengthOf(request.input))
    return { upstream, upstreamModel, port, prices, voice, units, charge: chargeUnits(prices, units) }
  }
}

/** The length of a text to speak. */
export function lengthOf(input: string): TextLength {
  return { characters: countCharacters(input), bytes: Buffer.byteLength(input) }
}

function refuseFormat(format: SpeechFormat, formats: readonly SpeechFormat[]): void {
  if (formats.includes(format)) return
  const message = `This model does not give '${format}'; it gives ${formats.join(', ')}.`
  throw new ServiceError('unsupported_format', message, { param: 'response_format' })
}
