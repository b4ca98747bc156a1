"""The ledger stack's types: table and secrets."""

import json
from typing import Any

from cloudformation_bridge.bridged_resource import BridgedResource
from moto.core.common_models import CloudFormationModel
from moto.dynamodb.models import dynamodb_backends
from moto.secretsmanager.models import secretsmanager_backends


def _only_replica(properties: dict[str, Any]) -> dict[str, Any]:
    replicas = properties["Replicas"]
    if len(replicas) != 1:
        raise ValueError(f"the bridge plays one replica, not {len(replicas)}")
    return replicas[0]


class GlobalTable(BridgedResource, CloudFormationModel):
    """A table of one region; CDK's TableV2 always writes this type."""

    TYPE = "AWS::DynamoDB::GlobalTable"
    NAME_PROPERTY = "TableName"

    @classmethod
    def create(cls, name, properties, account_id, region):
        backend = dynamodb_backends[account_id][region]
        replica = _only_replica(properties)
        table = backend.create_table(
            name=name,
            schema=properties["KeySchema"],
            throughput=None,
            attr=properties["AttributeDefinitions"],
            global_indexes=properties.get("GlobalSecondaryIndexes", []),
            indexes=[],
            streams=None,
            billing_mode=properties["BillingMode"],
            sse_specification=None,
            tags=replica.get("Tags", []),
            deletion_protection_enabled=replica.get("DeletionProtectionEnabled", False),
            warm_throughput=None,
        )
        resource = cls(name, {"Arn": table.table_arn})
        resource.key_schema = properties["KeySchema"]
        cls._settle(backend, name, properties)
        return resource

    @classmethod
    def update(cls, original, properties, account_id, region):
        if properties["KeySchema"] != original.key_schema:
            raise ValueError("a changed key schema replaces the table: not played")
        backend = dynamodb_backends[account_id][region]
        backend.get_table(original.ref).deletion_protection_enabled = _only_replica(
            properties
        ).get("DeletionProtectionEnabled", False)
        cls._settle(backend, original.ref, properties)
        return original

    @staticmethod
    def _settle(backend, name, properties):
        if "TimeToLiveSpecification" in properties:
            backend.update_time_to_live(name, properties["TimeToLiveSpecification"])
        recovery = _only_replica(properties).get("PointInTimeRecoverySpecification")
        if recovery:
            backend.update_continuous_backups(name, recovery)

    def remove(self, account_id, region):
        dynamodb_backends[account_id][region].delete_table(self.ref)


class Secret(BridgedResource, CloudFormationModel):
    TYPE = "AWS::SecretsManager::Secret"
    NAME_PROPERTY = "Name"
    ATTRIBUTES = frozenset({"Id"})

    @classmethod
    def create(cls, name, properties, account_id, region):
        backend = secretsmanager_backends[account_id][region]
        generate = properties.get("GenerateSecretString")
        secret, _ = backend._add_secret(
            name,
            secret_string=None if generate is None else _generated(backend, generate),
            description=properties.get("Description"),
            tags=properties.get("Tags", []),
        )
        return cls(secret.arn, {"Id": secret.arn})

    @classmethod
    def update(cls, original, properties, account_id, region):
        # CloudFormation changes descriptions and tags in place and never a value that is there.
        return original

    def remove(self, account_id, region):
        secretsmanager_backends[account_id][region].delete_secret(self.ref, None, True)


def _generated(backend, generate):
    answer = backend.get_random_password(
        password_length=int(generate.get("PasswordLength", 32)),
        exclude_characters=generate.get("ExcludeCharacters", ""),
        exclude_numbers=False,
        exclude_punctuation=bool(generate.get("ExcludePunctuation", False)),
        exclude_uppercase=False,
        exclude_lowercase=False,
        include_space=False,
        require_each_included_type=True,
    )
    return json.loads(answer)["RandomPassword"]
