/** Who may come in, and how. Asked at every attempt, since an operator can change the rules at any time. */
export interface SignInPolicy {
  /** Whether a person with this address, who has no account yet, may get one. */
  mayJoin(email: string): Promise<boolean>
  readonly allowsPasswords: () => Promise<boolean>
  readonly allowsWallets: () => Promise<boolean>
}

/** A signature of a message, as a client sent it. */
export interface WalletSignature {
  readonly address: string
  readonly chainId: number
  readonly text: string
  readonly signature: string
}

/** A sign-in from a browser that the account did not know. */
export interface NewDeviceMail {
  readonly email: string
  /** As the browser says; null where it says nothing. */
  readonly userAgent: string | null
  readonly address: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A passkey that was added to an account. */
export interface NewPasskeyMail extends NewDeviceMail {
  /** As the person calls it. */
  readonly name: string
}

/** What else the library is given. */
export interface SignInDeps {
  readonly policy: SignInPolicy
  /** Writes the email with a link. Called after the answer, for people who may come in alone. */
  readonly sendLink: (mail: {
    readonly email: string
    readonly token: string
    /** Page of the console that was asked for; null for the first. */
    readonly next: string | null
    /** Milliseconds since the epoch. */
    readonly expiresAt: number
  }) => Promise<void>
  /** Writes the email whose link gives its reader's address to the person who asked for it. */
  readonly sendAddressLink: (mail: {
    readonly email: string
    readonly token: string
    /** Milliseconds since the epoch. */
    readonly expiresAt: number
  }) => Promise<void>
  /** Tells the reader that their address, which a person wanted to add to another account, signs them in already. */
  readonly sendAddressTaken: (mail: { readonly email: string }) => Promise<void>
  /** Tells the reader that their account was signed in to by a browser that it did not know. */
  readonly sendNewDevice: (mail: NewDeviceMail) => Promise<void>
  /** Tells the reader that a passkey was added to their account. */
  readonly sendNewPasskey: (mail: NewPasskeyMail) => Promise<void>
  /** Whether a signature is the wallet's: its key's, or its code's on that chain. Null where it is neither's. */
  readonly verifyWallet: (signed: WalletSignature) => Promise<'eoa' | 'contract' | null>
  /** The address that an open invitation was sent to; null where the token opens none. */
  readonly findInvited: (token: string) => Promise<string | null>
  /** Takes the invitation for a person who has just joined with it. */
  readonly onJoined: (token: string, userId: string) => Promise<void>
  /** Takes a first-run token once; false where it is unknown or used. */
  readonly takeFirstRunToken: (token: string) => Promise<boolean>
  /** Called once the first operator has come in. */
  readonly onFirstOperator: (userId: string, name: string) => Promise<void>
  /** The address of the sandbox's user; null where signing in needs proof. */
  readonly demoEmail: string | null
  /** Called when the sandbox's user has come in. */
  readonly onDemoUser: (userId: string) => Promise<void>
}
