import type { depositsEndpoints } from '../endpoints/deposits.ts'
import { CREATED, type ExampleTable } from './example.ts'

const TRANSACTION = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const DEPOSIT_ID = 'dep_0199f0a8-11d2-7f40-b6c5-2a9d84e07c31'
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'
const USDG = '0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168'

const money = {
  asset: 'USDG',
  amount: '25.000000',
  amount_usd: 25,
  credits: 25_000,
  price_usd: 1,
  priced_at: CREATED,
}

const deposit = {
  object: 'deposit',
  id: DEPOSIT_ID,
  status: 'credited',
  reason: null,
  credited: true,
  txHash: TRANSACTION,
  chainId: 4663,
  ...money,
  address: ADDRESS,
  block_number: 8_412_907,
  created: CREATED,
  final_at: CREATED + 839,
  credited_at: CREATED + 840,
}

export const depositsExamples: ExampleTable<typeof depositsEndpoints> = {
  claimDeposit: {
    body: { txHash: TRANSACTION, asset: 'USDG', chainId: 4663 },
    reply: {
      object: 'deposit',
      id: DEPOSIT_ID,
      status: 'pending',
      credited: false,
      already_claimed: false,
      reason: 'confirming',
      eta_seconds: 780,
      safe: false,
      txHash: TRANSACTION,
      chainId: 4663,
      ...money,
      transfers: [{ id: DEPOSIT_ID, status: 'confirming', amount: '25.000000', credits: 25_000 }],
      balance: 1_234.567891234,
    },
  },
  getDepositAddress: {
    reply: {
      object: 'deposit_address',
      mode: 'address',
      minimum_usd: 1,
      chains: [
        {
          chainId: 4663,
          name: 'Robinhood Chain',
          testnet: false,
          local: false,
          address: ADDRESS,
          assets: [
            {
              asset: 'USDG',
              decimals: 6,
              token: USDG,
              uri: `ethereum:${USDG}@4663/transfer?address=${ADDRESS}`,
            },
            { asset: 'ETH', decimals: 18, token: null, uri: `ethereum:${ADDRESS}@4663` },
          ],
        },
      ],
    },
  },
  listDeposits: {
    reply: { object: 'list', data: [deposit], first_id: DEPOSIT_ID, last_id: DEPOSIT_ID, has_more: false },
  },
  getDeposit: { reply: deposit },
  notifyDeposit: {
    body: { email: 'ada@example.com', txHash: TRANSACTION, credits: 25_000, asset: 'USDG' },
    reply: { sent: true },
  },
}
