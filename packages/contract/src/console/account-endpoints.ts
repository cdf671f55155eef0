import type { ConsoleTable } from './console-endpoint.ts'
import { accountWays, newPassword, signedWallet, signInWalletPath, walletMessage, walletPlace } from './account.ts'
import { personName } from './people.ts'
import { doneReply } from './session.ts'

/** How a person is called, and how they come in. */
export const accountEndpoints = {
  getAccountWays: {
    id: 'getAccountWays',
    method: 'GET',
    path: '/console/account',
    permission: null,
    request: {},
    reply: { description: 'How the person signs in.', json: accountWays },
    errors: [],
  },
  renamePerson: {
    id: 'renamePerson',
    method: 'PATCH',
    path: '/console/account',
    permission: null,
    request: { body: personName },
    reply: { description: 'They are called so.', json: doneReply },
    errors: [],
  },
  setPassword: {
    id: 'setPassword',
    method: 'POST',
    path: '/console/account/password',
    permission: null,
    isSensitive: true,
    request: { body: newPassword },
    reply: { description: 'It holds, and all other sessions are signed out.', json: doneReply },
    errors: ['wrong_password', 'passwords_not_allowed'],
  },
  challengeSignInWallet: {
    id: 'challengeSignInWallet',
    method: 'POST',
    path: '/console/account/wallets/challenge',
    permission: null,
    isSensitive: true,
    request: { body: walletPlace },
    reply: { description: 'The message to sign.', json: walletMessage },
    errors: [],
  },
  addSignInWallet: {
    id: 'addSignInWallet',
    method: 'POST',
    path: '/console/account/wallets',
    permission: null,
    isSensitive: true,
    request: { body: signedWallet },
    reply: { description: 'The wallet signs the person in from now on.', json: doneReply },
    errors: ['wallet_not_proven', 'wallet_already_linked', 'limit_reached'],
  },
  removeSignInWallet: {
    id: 'removeSignInWallet',
    method: 'DELETE',
    path: '/console/account/wallets/{wallet_id}',
    permission: null,
    request: { path: signInWalletPath },
    reply: { description: 'It signs nobody in any more.', json: doneReply },
    errors: ['wallet_not_found', 'last_way_in'],
  },
} as const satisfies ConsoleTable<
  'getAccountWays' | 'renamePerson' | 'setPassword' | 'challengeSignInWallet' | 'addSignInWallet' | 'removeSignInWallet'
>
