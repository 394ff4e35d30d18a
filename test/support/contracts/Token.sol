// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface IWallet {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

/// A dollar token with EIP-3009 for tests: what USDC does, as far as a payment can tell, and anyone may mint.
/// It keeps its name in code and not in storage, so its code can be put at any address as it is.
contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;
    mapping(address => bool) public isBlacklisted;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    bytes32 internal constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 internal constant CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    function name() public pure virtual returns (string memory) {
        return "USD Coin";
    }

    function symbol() external pure returns (string memory) {
        return "USDC";
    }

    function version() public pure virtual returns (string memory) {
        return "2";
    }

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name())),
                keccak256(bytes(version())),
                block.chainid,
                address(this)
            )
        );
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function setBlacklisted(address account, bool listed) external {
        isBlacklisted[account] = listed;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    /// Many transfers of the sender in one transaction.
    function transferMany(address[] calldata to, uint256[] calldata value) external {
        for (uint256 i = 0; i < to.length; i++) move(msg.sender, to[i], value[i]);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        authorized(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        authorized(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        require(!authorizationState[authorizer][nonce], "authorization is used or canceled");
        requireSigned(authorizer, keccak256(abi.encode(CANCEL, authorizer, nonce)), signature);
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function authorized(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) internal {
        require(block.timestamp > validAfter, "authorization is not yet valid");
        require(block.timestamp < validBefore, "authorization is expired");
        require(!authorizationState[from][nonce], "authorization is used or canceled");
        requireSigned(
            from, keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce)), signature
        );
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    function requireSigned(address signer, bytes32 structHash, bytes memory signature) internal view {
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
        if (signer.code.length > 0) {
            require(
                IWallet(signer).isValidSignature(digest, signature) == IWallet.isValidSignature.selector,
                "invalid signature"
            );
            return;
        }
        require(signature.length == 65, "invalid signature length");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
        require(
            uint256(s) <= 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0, "invalid signature s"
        );
        address found = ecrecover(digest, v, r, s);
        require(found != address(0) && found == signer, "invalid signature");
    }

    function move(address from, address to, uint256 value) internal virtual {
        require(!isBlacklisted[from] && !isBlacklisted[to], "blacklisted");
        require(balanceOf[from] >= value, "transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Takes an authorization, says that it was used, and moves nothing.
contract LyingToken is Token {
    function move(address, address, uint256) internal override {}
}

/// Another contract by another name: its authorizations are signed over another domain.
contract RenamedToken is Token {
    function name() public pure override returns (string memory) {
        return "USDC";
    }
}

/// A contract wallet (ERC-1271) that one key signs for.
contract Wallet is IWallet {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(digest, uint8(signature[64]), r, s) == owner
            ? IWallet.isValidSignature.selector
            : bytes4(0xffffffff);
    }
}

/// What a key may lend its address to (EIP-7702): the key still signs for the address, which is this contract's own.
contract Delegate is IWallet {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(digest, uint8(signature[64]), r, s) == address(this)
            ? IWallet.isValidSignature.selector
            : bytes4(0xffffffff);
    }
}

/// Many calls in one transaction.
contract Batch {
    function run(address to, bytes[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done,) = to.call(calls[i]);
            require(done, "a call was refused");
        }
    }
}
