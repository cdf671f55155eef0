// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A wallet that is a contract: it acts for its owner and says which signatures are its own (ERC-1271).
contract SmartAccount {
    address public owner;

    receive() external payable {}

    constructor(address owner_) {
        owner = owner_;
    }

    function execute(address to, uint256 value, bytes calldata data) external {
        (bool isDone,) = to.call{value: value}(data);
        require(isDone, "failed");
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(hash, uint8(signature[64]), r, s);
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Makes such wallets at addresses that are known beforehand (ERC-6492).
contract SmartAccountFactory {
    function create(address owner, bytes32 salt) external returns (address) {
        return address(new SmartAccount{salt: salt}(owner));
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(SmartAccount).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}
