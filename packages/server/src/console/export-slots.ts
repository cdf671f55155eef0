/** Files that are made while they are sent: however long one is, others are served in between. */
import { Readable } from 'node:stream'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { ServiceError } from '../platform/errors/service-error.ts'

/** Files of one account that are made at once. Source: own choice; a browser fetches one. */
const EXPORTS_MAX = 2

/** Seconds until another attempt makes sense. Source: own choice. */
const RETRY_SECONDS = 5

type Pieces = AsyncGenerator<string, void, undefined>

/** Counts the files that are being made. */
export class ExportSlots {
  readonly #open = new Map<string, number>()

  /**
   * Makes a file for as long as its reader takes it. Its place is given back when it ends or is broken off.
   *
   * @param accountId whose data is in it.
   * @param open begins it; null where there is nothing to send.
   * @throws {ServiceError} `rate_limit_exceeded` when the account has as many as it may have, before it is begun.
   */
  async make<File extends Pieces | null>(
    accountId: string,
    open: () => File | Promise<File>,
  ): Promise<Readable | Extract<File, null>> {
    const giveBack = this.#take(accountId)
    try {
      const pieces = await open()
      if (pieces === null) {
        giveBack()
        return null as Extract<File, null>
      }
      return Readable.from(unhurried(pieces), { objectMode: false }).once('close', giveBack)
    } catch (error) {
      giveBack()
      throw error
    }
  }

  #take(accountId: string): () => void {
    const open = this.#open.get(accountId) ?? 0
    if (open >= EXPORTS_MAX) {
      const message = `This account already downloads ${EXPORTS_MAX} files. Try again when one of them is complete.`
      throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: RETRY_SECONDS })
    }
    this.#open.set(accountId, open + 1)
    return () => {
      const left = (this.#open.get(accountId) ?? 1) - 1
      if (left > 0) this.#open.set(accountId, left)
      else this.#open.delete(accountId)
    }
  }
}

/** Lets the requests that have come meanwhile be answered before the next piece is read. */
async function* unhurried(pieces: Pieces): Pieces {
  for await (const piece of pieces) {
    yield piece
    await letOthersRun()
  }
}
