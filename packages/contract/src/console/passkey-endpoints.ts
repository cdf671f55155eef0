import type { ConsoleTable } from './console-endpoint.ts'
import { madePasskey, newPasskey, passkeyCreation, passkeyPath, passkeyRequest } from './passkeys.ts'
import { personName } from './people.ts'
import { doneReply } from './session.ts'

/** The passkeys of a person. They are listed with their other ways of signing in. */
export const passkeyEndpoints = {
  beginPasskey: {
    id: 'beginPasskey',
    method: 'POST',
    path: '/console/account/passkeys/options',
    permission: null,
    isSensitive: true,
    request: { body: passkeyRequest },
    reply: { description: 'What the browser is asked for to make a passkey.', json: passkeyCreation },
    errors: ['passkeys_not_enabled', 'missing_required_parameter', 'wrong_code', 'limit_reached'],
  },
  addPasskey: {
    id: 'addPasskey',
    method: 'POST',
    path: '/console/account/passkeys',
    permission: null,
    isSensitive: true,
    request: { body: newPasskey },
    reply: { description: 'The person can sign in with the passkey.', json: madePasskey },
    errors: ['passkeys_not_enabled', 'passkey_not_proven', 'passkey_already_added', 'limit_reached'],
  },
  renamePasskey: {
    id: 'renamePasskey',
    method: 'PATCH',
    path: '/console/account/passkeys/{passkey_id}',
    permission: null,
    request: { path: passkeyPath, body: personName },
    reply: { description: 'It is called so.', json: doneReply },
    errors: ['passkey_not_found'],
  },
  removePasskey: {
    id: 'removePasskey',
    method: 'DELETE',
    path: '/console/account/passkeys/{passkey_id}',
    permission: null,
    isSensitive: true,
    request: { path: passkeyPath },
    reply: { description: 'The passkey no longer signs in.', json: doneReply },
    errors: ['passkey_not_found', 'last_way_in'],
  },
} as const satisfies ConsoleTable<'beginPasskey' | 'addPasskey' | 'renamePasskey' | 'removePasskey'>
