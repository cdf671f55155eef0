import type { Hex } from './assets.ts'
import type { ChainTransfer, TransactionFacts } from './chain-facts.ts'

/** Whose a transfer can be. */
export interface Recipients {
  /** Owners by the address that received: each account has addresses of its own. */
  readonly owners: ReadonlyMap<Hex, string>
  /** Where all pay to one address: it, and the owners by the wallet that sent. */
  readonly treasury: { readonly address: Hex; readonly wallets: ReadonlyMap<Hex, string> } | null
}

/** A transfer with the account that it belongs to. */
export interface OwnedTransfer extends ChainTransfer {
  readonly accountId: string
}

/** What a transaction that was mined means for accounts. */
export type TransferMatch =
  | { readonly kind: 'paid'; readonly transfers: readonly OwnedTransfer[] }
  /** Nothing came, but tokens of another contract did. */
  | { readonly kind: 'unsupported_token'; readonly tokens: readonly Hex[] }
  /** The treasury was paid by wallets that are linked to none of the askers. */
  | { readonly kind: 'wallet_not_linked' }
  | { readonly kind: 'nothing' }

/**
 * Says which transfers of a transaction belong to an account. Pure: chain facts and owners in, a decision out.
 *
 * @param accountId null takes every account.
 */
export function matchTransfers(
  facts: Extract<TransactionFacts, { kind: 'mined' }>,
  recipients: Recipients,
  accountId: string | null,
): TransferMatch {
  const isAsked = (owner: string | undefined): owner is string =>
    owner !== undefined && (accountId === null || owner === accountId)
  const owned = facts.transfers.flatMap((transfer) => {
    const owner = ownerOf(transfer, recipients)
    return isAsked(owner) ? [{ ...transfer, accountId: owner }] : []
  })
  if (owned.length > 0) return { kind: 'paid', transfers: owned }
  const { treasury, owners } = recipients
  if (treasury !== null && facts.transfers.some(({ to }) => to === treasury.address))
    return { kind: 'wallet_not_linked' }
  const tokens = facts.foreign
    .filter(({ to }) => (treasury === null ? isAsked(owners.get(to)) : to === treasury.address))
    .map(({ token }) => token)
  return tokens.length > 0 ? { kind: 'unsupported_token', tokens: [...new Set(tokens)] } : { kind: 'nothing' }
}

function ownerOf({ from, to }: ChainTransfer, { owners, treasury }: Recipients): string | undefined {
  if (treasury === null) return owners.get(to)
  return to === treasury.address ? treasury.wallets.get(from) : undefined
}
