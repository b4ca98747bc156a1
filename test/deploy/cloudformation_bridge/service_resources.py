"""The service stack's types: schedules, alarms, asynchronous invocation, policies."""

import json

from cloudformation_bridge.bridged_resource import BridgedResource
from moto.core.common_models import CloudFormationModel
from moto.awslambda.models import lambda_backends
from moto.cloudwatch.models import cloudwatch_backends
from moto.scheduler.models import scheduler_backends
from moto.sns.models import sns_backends
from moto.sqs.models import sqs_backends


class Schedule(BridgedResource, CloudFormationModel):
    TYPE = "AWS::Scheduler::Schedule"
    NAME_PROPERTY = "Name"

    @staticmethod
    def _arguments(properties):
        return {
            "description": properties.get("Description"),
            "end_date": None,
            "flexible_time_window": properties["FlexibleTimeWindow"],
            "group_name": properties.get("GroupName"),
            "kms_key_arn": None,
            "schedule_expression": properties["ScheduleExpression"],
            "schedule_expression_timezone": properties.get("ScheduleExpressionTimezone"),
            "start_date": None,
            "state": properties.get("State", "ENABLED"),
            "target": properties["Target"],
        }

    @classmethod
    def create(cls, name, properties, account_id, region):
        schedule = scheduler_backends[account_id][region].create_schedule(
            name=name, action_after_completion=None, **cls._arguments(properties)
        )
        return cls(name, {"Arn": schedule.arn})

    @classmethod
    def update(cls, original, properties, account_id, region):
        scheduler_backends[account_id][region].update_schedule(
            name=original.ref, **cls._arguments(properties)
        )
        return original

    def remove(self, account_id, region):
        scheduler_backends[account_id][region].delete_schedule(None, self.ref)


class Alarm(BridgedResource, CloudFormationModel):
    TYPE = "AWS::CloudWatch::Alarm"
    NAME_PROPERTY = "AlarmName"

    @classmethod
    def create(cls, name, properties, account_id, region):
        if "Metrics" in properties:
            raise ValueError("alarms on metric math are not played")
        alarm = cloudwatch_backends[account_id][region].put_metric_alarm(
            name=name,
            namespace=properties["Namespace"],
            metric_name=properties["MetricName"],
            comparison_operator=properties["ComparisonOperator"],
            evaluation_periods=properties["EvaluationPeriods"],
            period=properties["Period"],
            threshold=properties["Threshold"],
            statistic=properties["Statistic"],
            description=properties["AlarmDescription"],
            dimensions=properties.get("Dimensions", []),
            alarm_actions=properties.get("AlarmActions", []),
            ok_actions=properties.get("OKActions", []),
            datapoints_to_alarm=properties.get("DatapointsToAlarm"),
            treat_missing_data=properties.get("TreatMissingData"),
        )
        return cls(name, {"Arn": alarm.alarm_arn})

    @classmethod
    def update(cls, original, properties, account_id, region):
        return cls.create(original.ref, properties, account_id, region)

    def remove(self, account_id, region):
        cloudwatch_backends[account_id][region].delete_alarms([self.ref])


class EventInvokeConfig(BridgedResource, CloudFormationModel):
    TYPE = "AWS::Lambda::EventInvokeConfig"
    ATTRIBUTES = frozenset()

    @classmethod
    def create(cls, name, properties, account_id, region):
        backend = lambda_backends[account_id][region]
        function = properties["FunctionName"]
        backend.get_function(function).event_invoke_config = []
        config = {
            key: value
            for key, value in properties.items()
            if key not in ("FunctionName", "Qualifier")
        }
        backend.put_function_event_invoke_config(function, config)
        return cls(f"{function}|$LATEST")

    @classmethod
    def update(cls, original, properties, account_id, region):
        return cls.create(original.ref, properties, account_id, region)

    def remove(self, account_id, region):
        """It goes with its function."""


class FunctionUrl(BridgedResource, CloudFormationModel):
    TYPE = "AWS::Lambda::Url"
    ATTRIBUTES = frozenset({"FunctionUrl", "FunctionArn"})

    @classmethod
    def create(cls, name, properties, account_id, region):
        arn = properties["TargetFunctionArn"]
        config = {"AuthType": properties["AuthType"], "InvokeMode": "BUFFERED"}
        made = lambda_backends[account_id][region].create_function_url_config(arn, config)
        return cls(arn, {"FunctionUrl": made.url, "FunctionArn": arn})

    @classmethod
    def update(cls, original, properties, account_id, region):
        return original

    def remove(self, account_id, region):
        """It goes with its function."""


class Subscription(BridgedResource, CloudFormationModel):
    TYPE = "AWS::SNS::Subscription"
    ATTRIBUTES = frozenset()

    @classmethod
    def create(cls, name, properties, account_id, region):
        subscription = sns_backends[account_id][region].subscribe(
            properties["TopicArn"], properties["Endpoint"], properties["Protocol"]
        )
        return cls(subscription.arn)

    @classmethod
    def update(cls, original, properties, account_id, region):
        return original

    def remove(self, account_id, region):
        sns_backends[account_id][region].unsubscribe(self.ref)


class TopicPolicy(BridgedResource, CloudFormationModel):
    TYPE = "AWS::SNS::TopicPolicy"
    ATTRIBUTES = frozenset()

    @classmethod
    def create(cls, name, properties, account_id, region):
        for topic in properties["Topics"]:
            sns_backends[account_id][region].set_topic_attribute(
                topic, "Policy", json.dumps(properties["PolicyDocument"])
            )
        return cls(name)

    @classmethod
    def update(cls, original, properties, account_id, region):
        return cls.create(original.ref, properties, account_id, region)

    def remove(self, account_id, region):
        """It goes with its topic."""


class QueuePolicy(BridgedResource, CloudFormationModel):
    TYPE = "AWS::SQS::QueuePolicy"
    ATTRIBUTES = frozenset()

    @classmethod
    def create(cls, name, properties, account_id, region):
        for url in properties["Queues"]:
            sqs_backends[account_id][region].set_queue_attributes(
                url.split("/")[-1], {"Policy": json.dumps(properties["PolicyDocument"])}
            )
        return cls(name)

    @classmethod
    def update(cls, original, properties, account_id, region):
        return cls.create(original.ref, properties, account_id, region)

    def remove(self, account_id, region):
        """It goes with its queue."""
