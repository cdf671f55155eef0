import type { Exact, TeamDepositAddress } from '@svc/contract'

export type Places = Exact<TeamDepositAddress>
/** Where one network is paid. */
export type Place = Places['chains'][number]
export type PlaceAsset = Place['assets'][number]

/** Where the page says where to pay: the fragment of a link that leads there. */
export const PAY = 'pay'
