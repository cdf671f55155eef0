import type { ConsoleTable } from './console-endpoint.ts'
import {
  accountWays,
  emailProof,
  factorCode,
  newEmail,
  newFactor,
  newPassword,
  recoveryCodes,
  signedWallet,
  signInWalletPath,
  walletMessage,
  walletPlace,
} from './account.ts'
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
  beginSecondFactor: {
    id: 'beginSecondFactor',
    method: 'POST',
    path: '/console/account/second-factor',
    permission: null,
    isSensitive: true,
    request: {},
    reply: { description: 'A secret that counts once a code of it is confirmed.', json: newFactor },
    errors: ['second_factor_on'],
  },
  confirmSecondFactor: {
    id: 'confirmSecondFactor',
    method: 'POST',
    path: '/console/account/second-factor/confirm',
    permission: null,
    isSensitive: true,
    request: { body: factorCode },
    reply: { description: 'It is on, and all other sessions are signed out.', json: recoveryCodes },
    errors: ['wrong_code'],
  },
  renewRecoveryCodes: {
    id: 'renewRecoveryCodes',
    method: 'POST',
    path: '/console/account/second-factor/codes',
    permission: null,
    isSensitive: true,
    request: { body: factorCode },
    reply: { description: 'New codes; those before count no more.', json: recoveryCodes },
    errors: ['wrong_code'],
  },
  removeSecondFactor: {
    id: 'removeSecondFactor',
    method: 'POST',
    path: '/console/account/second-factor/remove',
    permission: null,
    isSensitive: true,
    request: { body: factorCode },
    reply: { description: 'It is off.', json: doneReply },
    errors: ['wrong_code'],
  },
  askForEmail: {
    id: 'askForEmail',
    method: 'POST',
    path: '/console/account/email',
    permission: null,
    isSensitive: true,
    request: { body: newEmail },
    reply: {
      description: 'An email may be on its way. The answer is the same whether the address is known or not.',
      json: doneReply,
    },
    errors: ['email_already_set', 'mail_not_enabled'],
  },
  proveEmail: {
    id: 'proveEmail',
    method: 'POST',
    path: '/console/account/email/proof',
    permission: null,
    request: { body: emailProof },
    reply: { description: 'The person can sign in with the address.', json: doneReply },
    errors: ['email_not_proven', 'email_taken', 'email_already_set'],
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
    reply: { description: 'The person can sign in with the wallet.', json: doneReply },
    errors: ['wallet_not_proven', 'wallet_already_linked', 'limit_reached'],
  },
  removeSignInWallet: {
    id: 'removeSignInWallet',
    method: 'DELETE',
    path: '/console/account/wallets/{wallet_id}',
    permission: null,
    request: { path: signInWalletPath },
    reply: { description: 'The wallet no longer signs in.', json: doneReply },
    errors: ['wallet_not_found', 'last_way_in'],
  },
} as const satisfies ConsoleTable<
  | 'getAccountWays'
  | 'renamePerson'
  | 'setPassword'
  | 'beginSecondFactor'
  | 'confirmSecondFactor'
  | 'renewRecoveryCodes'
  | 'removeSecondFactor'
  | 'askForEmail'
  | 'proveEmail'
  | 'challengeSignInWallet'
  | 'addSignInWallet'
  | 'removeSignInWallet'
>
