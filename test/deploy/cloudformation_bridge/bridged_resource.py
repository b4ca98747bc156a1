"""Base of the resource types that moto's services know but its CloudFormation does not."""

from typing import Any


class BridgedResource:
    """What a template refers to: the value of Ref, and the attributes of Fn::GetAtt.

    A mixin, because moto registers the direct subclasses of its CloudFormationModel only.
    """

    NAME_PROPERTY = ""
    ATTRIBUTES: frozenset[str] = frozenset({"Arn"})

    def __init__(self, ref: str, attributes: dict[str, str] | None = None) -> None:
        self.ref = ref
        self.attributes = attributes or {}

    @property
    def physical_resource_id(self) -> str:
        return self.ref

    def get_cfn_attribute(self, name: str) -> str:
        return self.attributes[name]

    def is_created(self) -> bool:
        return True

    @classmethod
    def cloudformation_name_type(cls) -> str:
        return cls.NAME_PROPERTY

    @classmethod
    def cloudformation_type(cls) -> str:
        return cls.TYPE

    @classmethod
    def has_cfn_attr(cls, attr: str) -> bool:
        return attr in cls.ATTRIBUTES

    @classmethod
    def create_from_cloudformation_json(
        cls,
        resource_name: str,
        cloudformation_json: dict[str, Any],
        account_id: str,
        region_name: str,
        **kwargs: Any,
    ) -> "BridgedResource":
        properties = cloudformation_json.get("Properties", {})
        return cls.create(resource_name, properties, account_id, region_name)

    @classmethod
    def update_from_cloudformation_json(
        cls,
        original_resource: "BridgedResource",
        new_resource_name: str,
        cloudformation_json: dict[str, Any],
        account_id: str,
        region_name: str,
    ) -> "BridgedResource":
        properties = cloudformation_json.get("Properties", {})
        return cls.update(original_resource, properties, account_id, region_name)

    def delete(self, account_id: str, region_name: str) -> None:
        self.remove(account_id, region_name)
