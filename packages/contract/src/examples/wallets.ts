import type { walletsEndpoints } from '../endpoints/wallets.ts'
import { CREATED, type ExampleTable } from './example.ts'

const WALLET_ID = 'wal_0199f0a9-52c1-7d05-8e13-6b7f4d20a9c8'
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'
const ACCOUNT_ID = '0199f09c-1d44-7b1e-a3c9-5e6f7a8b9c0d'

const message = [
  'gateway.example wants you to sign in with your Ethereum account:',
  ADDRESS,
  '',
  `Payments from this wallet to the treasury are credited to account ${ACCOUNT_ID}.`,
  '',
  'URI: https://gateway.example',
  'Version: 1',
  'Chain ID: 4663',
  'Nonce: 4f1d0b6f8c2e4a7d9b3c5e6f7a8b9c0d',
  'Issued At: 2026-11-28T03:00:00.000Z',
  'Expiration Time: 2026-11-28T03:10:00.000Z',
  'Resources:',
  `- urn:svc:account:${ACCOUNT_ID}`,
].join('\n')

const wallet = {
  object: 'linked_wallet',
  id: WALLET_ID,
  chainId: 4663,
  address: ADDRESS,
  proof: 'eoa',
  linked: CREATED,
  unlinked: null,
}

export const walletsExamples: ExampleTable<typeof walletsEndpoints> = {
  challengeWallet: {
    body: { address: ADDRESS, chainId: 4663 },
    reply: { object: 'wallet_challenge', message, expires: CREATED + 600 },
  },
  linkWallet: { body: { message, signature: `0x${'5a'.repeat(65)}` }, reply: wallet },
  listWallets: { reply: { object: 'list', data: [wallet] } },
  unlinkWallet: { reply: { id: WALLET_ID, object: 'linked_wallet.deleted', deleted: true } },
}
